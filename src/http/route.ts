// What a route says of itself: whose errors it answers with, who may call it, and what its requests are called; and what a request
// collects on its way.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServiceError, Version } from '#core/errors.ts';
import type { Phases } from '#core/phases.ts';
import type { RequestKind } from '#storage/schema.ts';
import type { Caller } from '#accounts/authenticate.ts';

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

declare module 'fastify' {
  interface FastifyRequest {
    /** What the routes of its path say, whatever the method. */
    place: Place;
    /** Set by the guard of the route. */
    caller: Caller | undefined;
    /** What the handler recorded for the account's owner; undefined if it did not get that far. */
    notes: RequestNotes | undefined;
    failure: ServiceError | undefined;
  }
  interface FastifyContextConfig {
    /** Set for requests to an endpoint of the API. */
    kind?: RequestKind;
  }
}

interface RequestNotes {
  /** Also those of a request that fails, up to the failure. */
  phases: Phases;
  /** Ids of what was stored. */
  made: string[];
  /** A render for later. */
  isQueued?: boolean;
  /** Error codes of the files that were not. */
  refused?: string[];
}

export const versionOf = ({ place, query }: FastifyRequest): Version =>
  place.hasVariants && asksForVariant(query) ? 2 : place.version;

/** Whether a request for a picture asks for another size or format of it. */
export const asksForVariant = (query: unknown): boolean => {
  const { width, format } = (query ?? {}) as Record<string, unknown>;
  return width !== undefined || format !== undefined;
};
