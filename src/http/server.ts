// Speaks HTTP: the order of hooks and the whole route table. Design section 4 has the order of checks.
import { METHODS, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import type { Clock } from '#core/clock.ts';
import { ServiceError } from '#core/errors.ts';
import { newId } from '#core/ids.ts';
import type { Blobs } from '#storage/blobs.ts';
import type { Database } from '#storage/database.ts';
import type { Browser } from '#browser/browser.ts';
import type { Admission } from '#metering/admission.ts';
import type { RequestBudget } from '#metering/request-budget.ts';
import type { HostedUploads } from '#uploads/hosted-uploads.ts';
import type { HostedRenders } from '#renders/hosted-renders.ts';
import type { Renders } from '#renders/render.ts';
import type { UploadStore } from '#uploads/store-uploads.ts';
import { deleteUpload } from '#http/api/delete-upload.ts';
import { pdf } from '#http/api/pdf.ts';
import { screenshot } from '#http/api/screenshot.ts';
import { upload } from '#http/api/upload.ts';
import { uploadBatch } from '#http/api/upload-batch.ts';
import { sendAsset } from '#http/assets.ts';
import { docsPage, openapiJson } from '#http/docs.ts';
import { replyWithError, envelope } from '#http/error-reply.ts';
import { createGuards } from '#http/guards.ts';
import type { Idempotency } from '#http/idempotency.ts';
import { healthz, readyz } from '#http/health.ts';
import { hostedFile } from '#http/hosted/file.ts';
import { renderFile } from '#http/hosted/render-file.ts';
import { sendGonePage, wantsHtml } from '#http/hosted/page.ts';
import { oembed, sharePage } from '#http/hosted/share-page.ts';
import { createMetrics } from '#http/metrics.ts';

export interface ServerParts {
  log: FastifyBaseLogger;
  clock: Clock;
  baseUrl: string;
  trustProxy: boolean | number | string[];
  tls: { cert: Buffer; key: Buffer } | undefined;
  database: Database;
  browser: Browser;
  uploadBlobs: Blobs;
  renders: Renders;
  hostedRenders: HostedRenders;
  idempotency: Idempotency;
  admission: Admission;
  budget: RequestBudget;
  uploadStore: UploadStore;
  hostedUploads: HostedUploads;
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** After an answer to a request whose body is still coming in: how long it may go on before the connection is cut. */
const drainMs = 10_000;

export function createServer(parts: ServerParts): FastifyInstance {
  const app = Fastify({
    loggerInstance: parts.log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newId,
    trustProxy: trustProxyOption(parts.trustProxy),
    requestTimeout: 300_000,
    return503OnClosing: false,
    exposeHeadRoutes: false,
    frameworkErrors: (error, request, reply) => void answerError(error, request, reply),
    clientErrorHandler: answerUnreadable,
    https: parts.tls ?? null,
  }) as unknown as FastifyInstance;
  const guards = createGuards(parts);
  const metrics = createMetrics();

  for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  // Handlers read their bodies themselves, after the checks of key and budget.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.decorateRequest('caller', undefined);
  app.decorateRequest('failure', undefined);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  app.addHook('onResponse', async (request, reply) => {
    metrics.observe(request, reply);
    logAnswer(request, reply);
    cutEndlessBody(request);
  });
  app.setErrorHandler(answerError);
  app.setNotFoundHandler(async (request, reply) => {
    if (!isApi(request) && wantsHtml(request)) return sendGonePage(reply);
    throw new ServiceError('not_found', 'There is nothing at this address.');
  });

  const behindKey: Handler[] = [guards.admit];
  route(['POST'], '/api/v1/upload', upload(parts), behindKey);
  route(['POST'], '/api/v1/upload/batch', uploadBatch(parts), behindKey);
  route(['POST'], '/api/v1/screenshot', screenshot(parts), behindKey);
  route(['POST'], '/api/v1/pdf', pdf(parts), behindKey);
  route(['GET', 'HEAD', 'POST', 'DELETE'], '/api/uploads/:id/delete', deleteUpload({ ...parts, guards }));

  route(['GET', 'HEAD'], '/i/:slug', sharePage(parts));
  route(['GET', 'HEAD'], '/f/:slug', hostedFile(parts));
  route(['GET', 'HEAD'], '/s/:id', renderFile('screenshot', parts));
  route(['GET', 'HEAD'], '/p/:id', renderFile('pdf', parts));
  route(['GET', 'HEAD'], '/oembed', oembed(parts));
  route(['GET', 'HEAD'], '/assets/:name', sendAsset);

  route(['GET', 'HEAD'], '/openapi.json', openapiJson(parts));
  route(['GET', 'HEAD'], '/docs', docsPage(parts));
  route(['GET', 'HEAD'], '/healthz', healthz);
  route(['GET', 'HEAD'], '/readyz', readyz(parts));
  route(['GET', 'HEAD'], '/metrics', metrics.send);
  return app;

  function route(methods: string[], url: string, handler: Handler, onRequest: Handler[] = []): void {
    app.route({ method: methods, url, handler, onRequest });
    app.route({
      method: app.supportedMethods.filter((method) => !methods.includes(method)),
      url,
      onRequest: async (_request, reply) => {
        reply.header('allow', methods.join(', '));
        throw new ServiceError('method_not_allowed', `Only ${methods.join(', ')} works here.`);
      },
      handler: async () => {},
    });
  }

  /** Every answer under /api/ has the rate-limit headers; where no account was found, those of the client's address. */
  function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    reply.header('x-request-id', request.id);
    if (isApi(request) && !reply.hasHeader('x-service-ratelimit-limit')) guards.countRefusal(request, reply);
    return replyWithError(error, request, reply);
  }

  function logAnswer(request: FastifyRequest, reply: FastifyReply): void {
    const { failure, caller } = request;
    const line = {
      requestId: request.id,
      method: request.method,
      // Never the query: it can hold a delete token.
      path: pathOf(request),
      status: reply.statusCode,
      durationMs: Math.round(reply.elapsedTime),
      account: caller?.accountId,
      key: caller?.keyId,
      code: failure?.code,
    };
    if (failure?.code === 'internal') parts.log.error({ ...line, err: failure.cause }, 'request failed');
    else parts.log.info({ ...line, reason: failure?.cause }, 'request');
  }
}

/** A number of hops, in the only form of it that Fastify's types still know. */
function trustProxyOption(trust: boolean | number | string[]) {
  return typeof trust === 'number' ? (_address: string, hop: number): boolean => hop < trust : trust;
}

const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0] ?? '';

const isApi = (request: FastifyRequest): boolean => /^\/api(\/|$)/.test(pathOf(request));

/** A client that goes on sending after its answer may finish a little, so that it gets to read the answer. */
function cutEndlessBody({ raw }: FastifyRequest): void {
  if (raw.complete) return;
  const timer = setTimeout(() => raw.socket.destroy(), drainMs).unref();
  raw.once('close', () => clearTimeout(timer));
  raw.once('end', () => clearTimeout(timer));
}

/** Not HTTP, a header too large, a request that never ends: there is no request to route, but there is an answer. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }[error.code ?? ''] ?? 400;
  const body = JSON.stringify(
    envelope(new ServiceError('validation_error', `request: ${STATUS_CODES[status]?.toLowerCase()}`)),
  );
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
