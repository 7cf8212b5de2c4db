// What a route says of itself: whose errors it answers with, who may call it, and what its requests are called.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Version } from '#core/errors.ts';
import type { RequestKind } from '#storage/schema.ts';

export type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/**
 * - key: programs with an API key, also in pages of the origins in CORS_ORIGINS.
 * - token: anyone with a delete URL, there too.
 * - person: people in the dashboard.
 * - viewer: anyone with a link to bytes. The host in CONTENT_BASE_URL serves these routes and no other.
 * - anyone: everyone.
 */
export type Audience = 'key' | 'token' | 'person' | 'viewer' | 'anyone';

export interface Route {
  methods: string[];
  path: string;
  /** Whose errors it answers with. */
  version: Version;
  /** Serves variants of pictures, whose errors are version 2's. */
  hasVariants?: boolean;
  audience: Audience;
  /** What the request log, the charts and the metrics call it; without a kind it is not in the log. */
  kind?: RequestKind;
  /** Checks who calls, before the handler. */
  guard?: Handler;
  handler: Handler;
}

/** A path, whatever the method. */
export interface Place extends Pick<Route, 'methods' | 'version' | 'hasVariants' | 'audience'> {
  /** As its routes have it; undefined if there is none. */
  path: string | undefined;
  /** Every response under /api/ has the rate-limit headers, and none is a page. */
  isApi: boolean;
}

export const versionOf = ({ place, query }: FastifyRequest): Version =>
  place.hasVariants && asksForVariant(query) ? 2 : place.version;

/** Whether a request for a picture asks for another size or format of it. */
export const asksForVariant = (query: unknown): boolean => {
  const { width, format } = (query ?? {}) as Record<string, unknown>;
  return width !== undefined || format !== undefined;
};
