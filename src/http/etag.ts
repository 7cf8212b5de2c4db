// If-None-Match: whether the client already has what it asks for. RFC 9110 13.1.2: compared weakly.
export const matchesEtag = (noneMatch: string, etag: string): boolean =>
  noneMatch.trim() === '*' || noneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
