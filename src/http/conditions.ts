// Reads the values of conditional request headers. RFC 9110 section 13.1.

/** If-None-Match: whether the client already has the current version. Weak comparison. */
export const matchesEtag = (noneMatch: string, etag: string): boolean =>
  lists(noneMatch, (tag) => tag.replace(/^W\//, '') === etag);

/** If-Match: whether the client means the current version. Strong comparison, so a weak tag never matches. */
export const matchesStrongly = (match: string, etag: string): boolean => lists(match, (tag) => tag === etag);

const lists = (tags: string, isWanted: (tag: string) => boolean): boolean =>
  tags.trim() === '*' || tags.split(',').some((tag) => isWanted(tag.trim()));

/**
 * RFC 9110 5.6.7. All three forms begin with the day of the week, and all mean UTC, also the one without a zone. A condition with any
 * other date is ignored.
 */
export function parseHttpDate(text: string | undefined): number | undefined {
  if (text === undefined || !/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(text)) return undefined;
  const at = Date.parse(text.endsWith(' GMT') ? text : `${text} GMT`);
  return Number.isFinite(at) ? at : undefined;
}
