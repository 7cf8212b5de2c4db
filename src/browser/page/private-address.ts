// Addresses of a document that came with the request and has none of its own.

/** RFC 6761: a name under `.invalid` never resolves, so what the worker does not answer goes nowhere. The page may name others of them. */
export const privateSuffix = '.document.invalid';

/** Whether this is an address of a document without one of its own. */
export const isPrivateAddress = (url: string): boolean =>
  URL.parse(url)?.hostname.endsWith(privateSuffix) === true;

/** Addresses that a document without one gives relative to itself, as it did: its origin is nowhere, and another in every render. */
export const relativeToDocument = (text: string): string =>
  text.replaceAll(/https:\/\/[a-z0-9]{20}\.document\.invalid\//g, '');
