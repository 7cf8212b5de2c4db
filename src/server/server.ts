// The HTTP server: combines the listener, the checks that every request passes, and the route table. The order of checks: host,
// preflight of another origin, path (404), method (405), then the guard of the route. Spec 4, 7.
import type { Server as HttpsServer } from 'node:https';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hours, type Chore } from '#core/chore.ts';
import { ServiceError, notFound } from '#core/errors.ts';
import { createCors, isOpenToOrigins } from '#http/cors.ts';
import { envelope, methodNotAllowed, replyWithError } from '#http/error-reply.ts';
import { createGuards } from '#http/guards.ts';
import { createIdempotency } from '#http/idempotency.ts';
import { renewCertificate } from '#http/connection/renewed-certificate.ts';
import { createListener } from '#http/connection/listener.ts';
import { createMetrics } from '#server/metrics.ts';
import { createMetricsListener } from '#server/metrics-listener.ts';
import { nearPath } from '#server/near-path.ts';
import { answerNotFound } from '#site/pages/not-found.ts';
import type { ServerParts } from '#server/parts.ts';
import { createAnswerLog, pathOf } from '#server/answer-log.ts';
import { versionOf } from '#http/route.ts';
import { createRouter } from '#server/router.ts';
import { routesOf } from '#server/routes.ts';

export function createServer(parts: ServerParts) {
  const { log, database, clock, settings, metering, renders } = parts;
  const guards = createGuards(metering);
  const metrics = createMetrics({
    version: settings.version,
    clock,
    ...renders,
    browser: parts.browser,
    timings: { database: database.timings, store: parts.storeTimings },
    blobs: { uploads: parts.uploads.uploadBlobs, renders: renders.renderBlobs },
  });
  const metricsListener = createMetricsListener(metrics);
  const idempotency = createIdempotency({ database, clock, renderBlobs: renders.renderBlobs });
  const noteAnswer = createAnswerLog({ log, metrics, requestLog: metering.requestLog });
  const allowOrigin = createCors(settings.corsOrigins);
  const router = createRouter(() => app);
  const app = createListener({
    log,
    settings,
    guards,
    placeAt: router.at,
    answerUndecodable(error, request, reply) {
      request.place = router.at(request.url);
      answerError(error, request, reply);
      noteAnswer(request, reply);
    },
  });
  const contentHost = contentHostOf(settings);

  app.decorateRequest('place');
  app.decorateRequest('caller', undefined);
  app.decorateRequest('failure', undefined);
  app.decorateRequest('notes', undefined);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    const place = router.of(request);
    request.place = place;
    const problem = hostProblem(request);
    if (problem !== undefined) {
      guards.showAddressBudget(request, reply);
      const failure = new ServiceError('validation_error', `request: ${problem}`);
      return reply
        .code(400)
        .header('connection', 'close')
        .send(envelope(failure, versionOf(request), request.id));
    }
    // A host only for bytes has no pages and no API, and so no cookies to steal.
    if (request.host === contentHost && place.audience !== 'viewer') throw notFound();
    if (isOpenToOrigins(place) && allowOrigin(request, reply)) {
      guards.showAddressBudget(request, reply);
      return reply.code(204).send();
    }
    if (place.path === undefined) return answerNothing(request, reply, nearPath(pathOf(request), router));
    // Fastify knows no route for a method that does not work at this path. Not in a handler: Fastify checks the headers of some methods
    // before the handler, and the path must be checked first.
    if (!request.is404) return undefined;
    reply.header('allow', place.methods.join(', '));
    throw methodNotAllowed(place.methods);
  });
  app.addHook('onResponse', async (request, reply) => noteAnswer(request, reply));
  app.setErrorHandler(async (error, request, reply) => {
    if (request.place.isApi && !reply.hasHeader('x-service-ratelimit-limit'))
      await guards.countRefusal(request, reply);
    return answerError(error, request, reply);
  });
  for (const route of routesOf({ ...parts, guards, metrics, idempotency })) router.add(route);

  const chores: Chore[] = [
    { name: 'sweep of stored answers', everyMs: hours(1), run: idempotency.sweep },
    ...(settings.tls ? [renewCertificate(app.server as unknown as HttpsServer, settings.tls, log)] : []),
  ];
  return {
    chores,
    forgetAttemptsBefore: idempotency.forgetAttemptsBefore,
    /** Resolves to the port. */
    async listen(): Promise<number> {
      if (settings.metricsPort !== undefined) await metricsListener.listen(settings.metricsPort);
      await app.listen({ host: settings.host, port: settings.port });
      const address = app.server.address();
      return typeof address === 'object' && address ? address.port : settings.port;
    },
    async close(): Promise<void> {
      await app.close();
      await metricsListener.close();
    },
  };

  /** Every response under /api/ has the rate-limit headers; without an account, those of the client's address. */
  function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    reply.header('x-request-id', request.id);
    if (request.place.isApi && !reply.hasHeader('x-service-ratelimit-limit'))
      guards.showAddressBudget(request, reply);
    // A 401 must name the scheme that would be accepted. RFC 9110 15.5.2.
    if (request.place.audience === 'key' && error instanceof ServiceError && error.code === 'unauthorized')
      reply.header('www-authenticate', 'Bearer realm="Tintype"');
    return replyWithError(error, request, reply);
  }
}

const contentHostOf = ({ contentBaseUrl, baseUrl }: ServerParts['settings']): string | undefined =>
  contentBaseUrl === baseUrl ? undefined : new URL(contentBaseUrl).host;

/** RFC 9112 3.2. Node itself takes the first of several, and a proxy in front may have taken another. */
function hostProblem({ raw: { rawHeaders, httpVersion } }: FastifyRequest): string | undefined {
  const isHost = (name: string, place: number) => place % 2 === 0 && name.toLowerCase() === 'host';
  const count = rawHeaders.filter(isHost).length;
  if (count > 1) return 'there is more than one Host header';
  return count === 0 && httpVersion === '1.1' ? 'there is no Host header' : undefined;
}

function answerNothing(
  request: FastifyRequest,
  reply: FastifyReply,
  meant: string | undefined,
): FastifyReply {
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
  if (request.place.isApi) throw notFound(undefined, hint);
  return answerNotFound(request, reply, hint);
}
