// Lets pages of the origins in CORS_ORIGINS call the API. Never with credentials: a call needs only the key in the Authorization
// header, and the dashboard's cookie must have no effect here.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Place } from '#http/route.ts';

/** Two hours, the longest that Chromium caches a preflight response. */
const maxAgeSeconds = 7200;

const exposedHeaders = [
  'x-request-id',
  'x-service-id',
  'x-service-duration-ms',
  'x-service-ratelimit-limit',
  'x-service-ratelimit-remaining',
  'x-service-ratelimit-reset',
  'x-service-quota-limit',
  'x-service-quota-remaining',
  'x-service-quota-usage-percent',
  'x-service-quota-warning',
  'x-service-overage',
  'retry-after',
  'idempotent-replayed',
];

/** Version 2 alone has these. */
const furtherHeaders = ['x-service-cache', 'x-service-page-status', 'x-service-warnings'];

const preflightHeaders = {
  'access-control-allow-headers': 'authorization, content-type, idempotency-key',
  'access-control-max-age': maxAgeSeconds,
};

function methodsFor({ version, audience }: Place): string {
  if (version === 2) return 'GET, POST, PATCH, DELETE';
  return audience === 'token' ? 'POST, DELETE' : 'GET, POST';
}

/** What pages of other origins may call: with a key, or with the token of a delete URL. */
export const isOpenToOrigins = ({ audience, path }: Place): boolean =>
  audience === 'key' || (audience === 'token' && path !== undefined);

export function createCors(origins: string[]) {
  const allowed = new Set(origins);

  /** Sets the headers that let a page read the response; true for a preflight, whose response they are. */
  return (request: FastifyRequest, reply: FastifyReply): boolean => {
    if (allowed.size === 0) return false;
    // Also for an origin that is not listed: a cache must not serve its response to one that is.
    reply.header('vary', 'origin');
    const { origin } = request.headers;
    if (origin === undefined || !allowed.has(origin)) return false;
    reply.header('access-control-allow-origin', origin);
    const isPreflight =
      request.method === 'OPTIONS' &&
      request.place.path !== undefined &&
      request.headers['access-control-request-method'] !== undefined;
    if (isPreflight)
      reply.headers({
        'access-control-allow-methods': methodsFor(request.place),
        ...preflightHeaders,
      });
    else
      reply.header(
        'access-control-expose-headers',
        [...exposedHeaders, ...(request.place.version === 2 ? furtherHeaders : [])].join(', '),
      );
    return isPreflight;
  };
}
