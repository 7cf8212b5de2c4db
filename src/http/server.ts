// Speaks HTTP: the order of hooks and the whole route table. Design section 4 has the order of checks.
import { METHODS } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { ServiceError, notFound } from '#core/errors.ts';
import { newId } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { Refusal } from '#accounts/authenticate.ts';
import type { RequestBudget } from '#metering/request-budget.ts';
import { deleteUpload } from '#http/api/delete-upload.ts';
import { pdf } from '#http/api/pdf.ts';
import { screenshot } from '#http/api/screenshot.ts';
import { upload } from '#http/api/upload.ts';
import { uploadBatch } from '#http/api/upload-batch.ts';
import { sendAsset } from '#http/assets.ts';
import { createDashboardApp, entryPaths, toDashboard } from '#http/dashboard/app.ts';
import { dashboard, type DashboardParts } from '#http/dashboard/handlers.ts';
import { docsPage, openapiJson } from '#http/docs.ts';
import { envelope, replyWithError } from '#http/error-reply.ts';
import { createGuards } from '#http/guards.ts';
import { healthz, readyz } from '#http/health.ts';
import { hostedFile } from '#http/hosted/file.ts';
import { renderFile } from '#http/hosted/render-file.ts';
import { oembed, sharePage } from '#http/hosted/share-page.ts';
import { landingPage } from '#http/landing.ts';
import { createMetrics } from '#http/metrics.ts';
import { answerUnreadable } from '#http/unreadable.ts';
import { answerNotFound } from '#http/not-found.ts';

export interface ServerParts extends Omit<DashboardParts, 'guards'> {
  log: FastifyBaseLogger;
  contentBaseUrl: string;
  pictureOrigins: string[];
  trustProxy: boolean | number | string[];
  tls: { cert: Buffer; key: Buffer } | undefined;
  budget: RequestBudget;
  patience: Patience;
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** How long a connection may take over each step. Forms and JSON bodies have shorter timers of their own. */
export interface Patience {
  /** Until the headers of a request are there; also for a connection that never says anything. */
  headersMs: number;
  /** Until a request is there with its body. */
  requestMs: number;
  /** Between two requests; longer than the minute after which the usual load balancers let go. */
  keepAliveMs: number;
  /** How often the first two are looked at. */
  checkEveryMs: number;
  /** After an answer to a request whose body is still coming in: how long it may go on before the connection is cut. */
  drainMs: number;
}

export const patience: Patience = {
  headersMs: 20_000,
  requestMs: 300_000,
  keepAliveMs: 72_000,
  checkEveryMs: 5_000,
  drainMs: 10_000,
};

/** What a client may still send in that time: twice the largest form, for those who read only when they have sent all. */
const drainBytes = 2 * limits.batchBytes;

export function createServer(parts: ServerParts): FastifyInstance {
  const guards = createGuards(parts);
  const metrics = createMetrics(parts);
  const { baseUrl, contentBaseUrl, patience, tls } = parts;
  const listener = {
    headersTimeout: patience.headersMs,
    connectionsCheckingInterval: patience.checkEveryMs,
    // Without it Node answers HTTP/1.1 that names no host by itself, and not in the contract's words.
    requireHostHeader: false,
  };
  const contentHost = contentBaseUrl === baseUrl ? undefined : new URL(contentBaseUrl).host;
  const dashboardApp = createDashboardApp(parts.pictureOrigins);
  const methodsByUrl = new Map<string, string[]>();
  const openReplies = new WeakMap<Socket, FastifyReply>();
  const app = Fastify({
    loggerInstance: parts.log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newId,
    trustProxy: trustProxyOption(parts.trustProxy),
    requestTimeout: patience.requestMs,
    keepAliveTimeout: patience.keepAliveMs,
    return503OnClosing: false,
    exposeHeadRoutes: false,
    frameworkErrors: (error, request, reply) => {
      // A path that cannot be decoded: no hook runs for it.
      answerError(error, request, reply);
      noteAnswer(request, reply);
    },
    clientErrorHandler: answerUnreadable({
      log: parts.log,
      methodsAt: (path) => methodsByUrl.get(path),
      addressBudget: guards.addressBudget,
      openReply: (socket) => openReplies.get(socket),
    }),
    ...(tls ? { https: { ...listener, ...tls } } : { http: listener }),
  }) as unknown as FastifyInstance;

  // An expectation that nobody knows is passed over, as RFC 9110 10.1.1 allows: Node would answer it without a body.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  // Handlers read their bodies themselves, after the checks of key and budget.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.decorateRequest('caller', undefined);
  app.decorateRequest('failure', undefined);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    openReplies.set(request.raw.socket, reply);
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      guards.showAddressBudget(request, reply);
      const failure = new ServiceError('validation_error', 'request: there is no Host header');
      return reply.code(400).header('connection', 'close').send(envelope(failure));
    }
    // A host for bytes alone has no pages and no API, and so no cookies to steal.
    if (request.host === contentHost && !/^\/[fsp]\//.test(request.url)) throw notFound();
    // Here and not in a handler: Fastify looks at the headers of some methods before that, and the path comes first.
    return request.is404 ? answerNothing(request, reply) : undefined;
  });
  app.addHook('onResponse', async (request, reply) => {
    if (openReplies.get(request.raw.socket) === reply) openReplies.delete(request.raw.socket);
    noteAnswer(request, reply);
    cutEndlessBody(request, patience.drainMs);
  });
  app.addHook('preClose', async () => letGoOfIdleConnections(app));
  app.setErrorHandler(answerError);

  const behindKey: Handler[] = [guards.admit];
  route(['POST'], '/api/v1/upload', upload(parts), behindKey);
  route(['POST'], '/api/v1/upload/batch', uploadBatch(parts), behindKey);
  route(['POST'], '/api/v1/screenshot', screenshot(parts), behindKey);
  route(['POST'], '/api/v1/pdf', pdf(parts), behindKey);
  route(['GET', 'HEAD', 'POST', 'DELETE'], '/api/uploads/:id/delete', deleteUpload({ ...parts, guards }));

  for (const { methods, url, handler } of dashboard({ ...parts, guards })) route(methods, url, handler);

  route(['GET', 'HEAD'], '/', landingPage(parts));
  for (const url of entryPaths) route(['GET', 'HEAD'], url, toDashboard);
  route(['GET', 'HEAD'], '/dashboard', dashboardApp.page);
  route(['GET', 'HEAD'], '/dashboard/*', dashboardApp.page);
  route(['GET', 'HEAD'], '/dashboard/assets/:name', dashboardApp.asset);

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
    methodsByUrl.set(url, methods);
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

  function noteAnswer(request: FastifyRequest, reply: FastifyReply): void {
    metrics.observe(request, reply);
    const { failure, caller } = request;
    // A refused key says whose it is here alone; the client is told nothing.
    const refusal = failure?.code === 'unauthorized' ? (failure.cause as Refusal | undefined) : undefined;
    const accountId = caller?.accountId ?? refusal?.accountId;
    const keyId = caller?.keyId ?? refusal?.keyId;
    const { statusCode: status } = reply;
    const durationMs = Math.round(reply.elapsedTime);
    const line = {
      requestId: request.id,
      method: request.method,
      path: loggedPath(request),
      status,
      durationMs,
      account: accountId,
      key: keyId,
      code: failure?.code,
    };
    if (failure?.code === 'internal') parts.log.error({ ...line, err: failure.cause }, 'request failed');
    else parts.log.info({ ...line, reason: refusal?.reason ?? failure?.cause }, 'request');
    const path = request.routeOptions.url;
    if (accountId === undefined || !path?.startsWith('/api/v1/')) return;
    parts.requestLog.record({
      id: request.id,
      account_id: accountId,
      key_id: keyId ?? null,
      path,
      status,
      code: failure?.code ?? null,
      reason: refusal?.reason ?? null,
      duration_ms: durationMs,
    });
  }
}

function answerNothing(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (isApi(request)) throw notFound();
  return answerNotFound(request, reply);
}

/** A number of hops, in the only form of it that Fastify's types still know. */
function trustProxyOption(trust: boolean | number | string[]) {
  return typeof trust === 'number' ? (_address: string, hop: number): boolean => hop < trust : trust;
}

const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0] ?? '';

/** Never the query, which can hold a delete token; and a key or token that strayed into the path stays out as well. */
const loggedPath = (request: FastifyRequest): string => pathOf(request).replace(/[\w-]{40,}/g, '…');

/** As the router sees it: with letters unescaped, and also where the request names the whole address. RFC 9112 3.2.2. */
function isApi(request: FastifyRequest): boolean {
  const path = pathOf(request).replace(/^https?:\/\/[^/]*/i, '');
  return /^\/api(\/|$)/.test(path.replace(/%[4-7][0-9a-f]/gi, decodeURIComponent));
}

/** A connection that is busy when the end begins falls idle later, and its client would keep it open for a minute. */
function letGoOfIdleConnections({ server }: FastifyInstance): void {
  const timer = setInterval(() => server.closeIdleConnections(), 100).unref();
  server.once('close', () => clearInterval(timer));
}

/** A client that goes on sending after its answer may do so for a little, so that it gets to read the answer. */
function cutEndlessBody({ raw }: FastifyRequest, drainMs: number): void {
  if (raw.complete) return;
  const { socket } = raw;
  const [bytesBefore, endsAt] = [socket.bytesRead, performance.now() + drainMs];
  const timer = setInterval(() => {
    if (performance.now() > endsAt || socket.bytesRead - bytesBefore > drainBytes) socket.destroy();
  }, 100).unref();
  raw.once('close', () => clearInterval(timer));
  raw.once('end', () => clearInterval(timer));
}
