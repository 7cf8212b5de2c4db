// Addresses as a receipt shows them. Query strings and fragments may hold secrets.

/** Without credentials, query string and fragment. Null for an address that is its own content, and for what is no address. */
export function bareAddress(text: string): string | null {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  return url.origin + url.pathname;
}

/** Removes the query of every address in a text. */
export const withoutQueries = (text: string): string =>
  text
    .split(/([\s"'<>])/)
    .map((word) => {
      const at = word.indexOf('://');
      const end = at === -1 ? -1 : word.slice(at).search(/[?#]/);
      return end === -1 ? word : word.slice(0, at + end);
    })
    .join('');
