// What kind of request this is, for the request log, its charts and the metrics.
import type { FastifyRequest } from 'fastify';
import type { RequestKind } from '#storage/schema.ts';

/** What the route says, for the endpoints of the API; undefined elsewhere. */
export function kindOf({ notes, routeOptions }: FastifyRequest): RequestKind | undefined {
  const { kind } = routeOptions.config;
  return kind !== undefined && notes?.isQueued === true ? 'queued' : kind;
}
