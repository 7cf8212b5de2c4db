// The wire says full_page, JavaScript says fullPage: names are turned at the edge and nowhere else.

/** Names of every object inside, in camelCase. */
export function toCamel(value: unknown): unknown {
  return renameKeys(value, camelName);
}

export const camelName = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** A message of the service with its field in camelCase, and with those that it offers instead of an unknown one. */
export function camelNames(message: string): string {
  const field = /^[a-z][\w.[\]]*: /.exec(message)?.[0];
  if (field === undefined) return message;
  const complaint = message.slice(field.length);
  const offer = /^unknown field; (?:did you mean "[^"]*"|the fields are [\w., ]+)/.exec(complaint)?.[0] ?? '';
  return camelName(field + offer) + complaint.slice(offer.length);
}

/** Names of every object inside, in snake_case. */
export function toSnake(value: unknown): unknown {
  return renameKeys(value, (name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

/** What is inside is the page's or the caller's own: names of headers, facts of a page. */
const opaque = ['headers', 'data'];

function renameKeys(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renameKeys(item, rename));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      rename(key),
      opaque.includes(key) ? item : renameKeys(item, rename),
    ]),
  );
}
