// If-None-Match: whether the client already has the current version. RFC 9110 13.1.2: weak comparison.
export const matchesEtag = (noneMatch: string, etag: string): boolean =>
  noneMatch.trim() === '*' || noneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
