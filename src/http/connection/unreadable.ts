// Answers bytes that never become a request for the router: not HTTP, a header too large, an unknown method. There is no request
// to route, but there is a response, with an id and a log line. Spec 7. If a request is being answered on the connection, only
// that response is sent, and it is the last.
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger, FastifyReply } from 'fastify';
import { ServiceError, notFound } from '#core/errors.ts';
import { newId } from '#core/ids.ts';
import type { BudgetStanding } from '#metering/request-budget.ts';
import { breakBody } from '#http/connection/broken-body.ts';
import { envelope, methodNotAllowed } from '#http/error-reply.ts';
import { tooFineChunks } from '#http/connection/parser-feed.ts';
import { budgetHeaders } from '#http/reply-headers.ts';
import type { Place } from '#http/route.ts';

interface UnreadableError {
  code?: string;
  /** What was read, as a Buffer; Fastify's types say otherwise. */
  rawPacket?: unknown;
}

export function answerUnreadable(parts: {
  log: FastifyBaseLogger;
  /** What the routes of a path say. */
  placeAt: (path: string) => Place;
  addressBudget: (ip: string) => BudgetStanding;
  /** The newest request on a connection whose response is not complete. */
  openReply: (socket: Socket) => FastifyReply | undefined;
  /** What arrives on a connection is the rest of a request whose response is complete. */
  isAnswered: (socket: Socket) => boolean;
}) {
  return (error: UnreadableError, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const open = parts.openReply(socket);
    if (open) {
      endWith(open, socket, error.code === tooFineChunks ? 'its chunks are too small' : notFramed);
      return;
    }
    if (parts.isAnswered(socket)) {
      socket.end();
      return;
    }
    const requestId = newId();
    const refusal = refuse(error);
    const status = refusal.status;
    const body = JSON.stringify(envelope(refusal.failure, refusal.version, requestId));
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      'x-request-id': requestId,
      connection: 'close',
      ...budgetHeaders(parts.addressBudget(socket.remoteAddress ?? '')),
      ...refusal.headers,
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
    parts.log.info(
      { requestId, status, code: refusal.failure.code, reason: error.code },
      'unreadable request',
    );

    function refuse({ code = '', rawPacket }: UnreadableError) {
      const path = code === 'HPE_INVALID_METHOD' && Buffer.isBuffer(rawPacket) && pathOf(rawPacket);
      if (typeof path === 'string') return refuseMethod(path);
      const status = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }[code] ?? 400;
      const message = `request: ${STATUS_CODES[status]?.toLowerCase()}`;
      const failure = new ServiceError('validation_error', message);
      return { status, failure, version: 1 as const, headers: {} };
    }

    function refuseMethod(path: string) {
      const { methods, version } = parts.placeAt(path);
      if (methods.length === 0) return { status: 404, failure: notFound(), version, headers: {} };
      const failure = methodNotAllowed(methods);
      return { status: failure.status, failure, version, headers: { allow: methods.join(', ') } };
    }
  };
}

/** Node itself refuses a longer head, so a line that does not end here does not belong to a request. */
const maxLineBytes = 16 * 1024;

/** The path in a request line that is valid except for its method, which the HTTP parser does not know. */
function pathOf(packet: Buffer): string | undefined {
  const text = packet.toString('latin1', 0, maxLineBytes);
  const lineEnd = text.indexOf('\n');
  if (lineEnd === -1) return undefined;
  const [method = '', target = '', version = '', ...more] = text.slice(0, lineEnd).trimEnd().split(' ');
  const isRequestLine =
    more.length === 0 && /^[!#$%&'*+.^_`|~\w-]+$/.test(method) && /^HTTP\/1\.[01]$/.test(version);
  return isRequestLine && /^\/\S*$/.test(target) ? target.split('?', 1)[0] : undefined;
}

const notFramed = 'it ends too early, or is not framed as its headers say';

function endWith({ request, raw }: FastifyReply, socket: Socket, reason: string): void {
  if (!raw.headersSent) raw.setHeader('connection', 'close');
  raw.once('close', () => socket.destroySoon());
  // Nothing received from now on can be read, and Node would take the end of the input as permission to close before the
  // response.
  socket.pause();
  if (!request.raw.complete) breakBody(request.raw, reason);
}
