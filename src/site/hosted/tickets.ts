// How a visitor carries the ticket of a guarded upload: in a cookie of its share page, and in the addresses of its files, because these
// may be on a host of their own, which never sees a cookie. Spec 10.11.
import type { FastifyRequest } from 'fastify';
import { ticketMs } from '#uploads/upload-access.ts';
import { sharePath } from '#http/addresses.ts';

const cookieName = 'tintype_ticket';

/** In the address of a file. */
export const ticketIn = (request: FastifyRequest): string | undefined => {
  const { ticket } = request.query as Record<string, unknown>;
  return typeof ticket === 'string' ? ticket : undefined;
};

export const ticketQuery = (ticket: string | undefined): string | undefined =>
  ticket === undefined ? undefined : `ticket=${ticket}`;

export function withQuery(address: string, ...queries: (string | undefined)[]): string {
  const given = queries.filter((query) => query !== undefined);
  return given.length === 0 ? address : `${address}?${given.join('&')}`;
}

/** The browser sends it to this one share page only. */
export const ticketCookie = (slug: string, ticket: string, { baseUrl }: { baseUrl: string }): string =>
  [
    `${cookieName}=${ticket}`,
    `Path=${sharePath(slug)}`,
    `Max-Age=${ticketMs / 1000}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(baseUrl.startsWith('https:') ? ['Secure'] : []),
  ].join('; ');

export function ticketInCookie({ headers }: FastifyRequest): string | undefined {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const [name, value] = pair.trim().split('=', 2);
    if (name === cookieName) return value;
  }
  return undefined;
}
