// Helps a client that sent an unknown field: names the most similar field, or lists all fields.

/** `path` leads to the fields: empty, or for example `margin.`. */
export function hintFor(name: string, fields: Record<string, object>, path: string): string {
  const names = Object.keys(fields);
  // Whatever is longer resembles none, and reading it once for each field would take a while.
  const short = name.slice(0, 60);
  const meant = nearest(short, names) ?? containingField(short, names) ?? innerField(short, fields);
  if (meant !== undefined) return `did you mean ${JSON.stringify(path + meant)}?`;
  return `the fields are ${names.map((field) => path + field).join(', ')}`;
}

/** Up to two letters away; fewer if the name is so short that they make another word: A4 is a4, and a5 is not. */
export function nearest(name: string, names: string[]): string | undefined {
  const ranked = names
    .map((known) => ({ known, distance: editDistance(name, known) }))
    .filter(({ known, distance }) => distance <= tolerated(Math.min(name.length, known.length)));
  return ranked.toSorted((left, right) => left.distance - right.distance)[0]?.known;
}

const tolerated = (length: number): number => (length < 3 ? 0 : length < 5 ? 1 : 2);

/** `format` for `paper_format`: whole words only. */
const containingField = (name: string, fields: string[]): string | undefined =>
  fields.find((field) => field.split('_').includes(name.toLowerCase()));

/** `viewport.width` for `width`. */
function innerField(name: string, fields: Record<string, { properties?: object }>): string | undefined {
  const [outer] =
    Object.entries(fields).find(([, { properties = {} }]) => Object.hasOwn(properties, name)) ?? [];
  return outer === undefined ? undefined : `${outer}.${name}`;
}

/** Levenshtein distance; names are short. */
function editDistance(left: string, right: string): number {
  const from = left.slice(0, 60).toLowerCase();
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 0; i < from.length; i += 1) {
    const next = [i + 1];
    for (let j = 1; j <= right.length; j += 1) {
      const substitution = (row[j - 1] ?? 0) + (from[i] === right[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
