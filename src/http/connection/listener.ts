// The listening side of the server: connection timeouts, TLS, and cases that Node and Fastify would otherwise answer themselves.
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { newId } from '#core/ids.ts';
import { boundConnections } from '#http/connection/connections.ts';
import { feedParsers } from '#http/connection/parser-feed.ts';
import { answerUnreadable } from '#http/connection/unreadable.ts';
import type { Guards } from '#http/guards.ts';
import type { Place } from '#http/route.ts';

/** How long each step of a connection may take. Forms and JSON bodies have shorter timeouts. */
interface ConnectionTimeouts {
  /** Until the headers of a request have arrived; also for a connection that sends nothing. */
  headersMs: number;
  /** Until a request has arrived with its body. */
  requestMs: number;
  /** Between two requests; longer than the minute after which common load balancers close an idle connection. */
  keepAliveMs: number;
  /**
   * While a response is being sent: how long the client may read nothing. The connection is cut after one to three times that.
   */
  stallMs: number;
  /** How often the first two are checked. */
  checkEveryMs: number;
  /** After a response to a request whose body is still arriving: how long the body may continue before the connection is cut. */
  drainMs: number;
}

const connectionTimeouts: ConnectionTimeouts = {
  headersMs: 20_000,
  requestMs: 300_000,
  keepAliveMs: 72_000,
  stallMs: 60_000,
  checkEveryMs: 5_000,
  drainMs: 10_000,
};

export interface ListenerSettings {
  trustProxy: boolean | number | string[];
  tls: { cert: Buffer; key: Buffer } | undefined;
  /** Connections of clients at once. */
  maxConnections: number;
  /** The service's timeouts, unless a test sets others. */
  timeouts?: ConnectionTimeouts;
}

export function createListener(parts: {
  log: FastifyBaseLogger;
  settings: ListenerSettings;
  guards: Guards;
  /** What the routes of a path say. */
  placeAt: (path: string) => Place;
  /** Answers a path that cannot be decoded: no hook runs for it. */
  answerUndecodable: (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;
}): FastifyInstance {
  const { timeouts = connectionTimeouts, trustProxy, tls, maxConnections } = parts.settings;
  const listener = {
    headersTimeout: timeouts.headersMs,
    connectionsCheckingInterval: timeouts.checkEveryMs,
    // Otherwise Node itself answers an HTTP/1.1 request without Host, and without the contract's error envelope.
    requireHostHeader: false,
  };
  const app = Fastify({
    loggerInstance: parts.log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: newId,
    trustProxy: trustProxyOption(trustProxy),
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    return503OnClosing: false,
    exposeHeadRoutes: false,
    // Without these Fastify loads its own 150 modules for validation and serialization, which no route uses.
    schemaController: { compilersFactory: { buildValidator: noSchema, buildSerializer: noSchema } },
    frameworkErrors: parts.answerUndecodable,
    clientErrorHandler: answerUnreadable({
      log: parts.log,
      placeAt: parts.placeAt,
      addressBudget: parts.guards.addressBudget,
      openReply: (socket) => connections.openReply(socket),
      isAnswered: (socket) => connections.isAnswered(socket),
    }),
    ...(tls
      ? { https: { ...listener, cert: tls.cert, key: tls.key, handshakeTimeout: timeouts.headersMs } }
      : { http: listener }),
  }) as unknown as FastifyInstance;
  const connections = boundConnections(app, { stallMs: timeouts.stallMs, maxConnections });
  const feeds = feedParsers(app.server, {
    onConnection: tls ? 'secureConnection' : 'connection',
    drainMs: timeouts.drainMs,
  });

  // An unknown expectation is ignored, as RFC 9110 10.1.1 allows: Node would answer it without a body.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  // Handlers read their bodies themselves, after the key and the budget are checked.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.addHook('onRequest', hideUnreadableType);
  app.addHook('onSend', announceClose);
  app.addHook('onResponse', async ({ raw }) => raw.complete || feeds.drain(raw));
  app.addHook('preClose', async () => letGoOfIdleConnections(app));
  return app;
}

function noSchema(): never {
  throw new Error('a route has a Fastify schema: handlers validate their input themselves');
}

/** Fastify would refuse a Content-Type that is none, also where nobody reads the body. Handlers that read it look at the raw header. */
function hideUnreadableType(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  if (request.headers['content-type'] !== undefined && request.mediaType === undefined)
    request.headers = { ...request.headers, 'content-type': undefined };
  done();
}

/** The rest of a chunked body that nobody wants is not parsed, so the connection cannot be used for another request. */
function announceClose(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  _payload: unknown,
  done: () => void,
): void {
  if (!raw.complete && raw.headers['transfer-encoding'] !== undefined) reply.header('connection', 'close');
  done();
}

/** A number of hops, in the only form that Fastify's types still accept. */
function trustProxyOption(trust: boolean | number | string[]) {
  return typeof trust === 'number' ? (_address: string, hop: number): boolean => hop < trust : trust;
}

/** A connection that is busy when shutdown begins becomes idle later, and its client would keep it open for a minute. */
function letGoOfIdleConnections({ server }: FastifyInstance): void {
  const timer = setInterval(() => server.closeIdleConnections(), 100).unref();
  server.once('close', () => clearInterval(timer));
}
