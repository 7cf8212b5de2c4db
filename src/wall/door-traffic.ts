// The two kinds of traffic through a door: plain requests and CONNECT tunnels, through which Chromium also sends WebSockets.
import { type Agent, type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Authority, parseAuthority } from '#wall/canonical-host.ts';
import { type EgressLedger, EgressRefused, type RefusalKind } from '#wall/door-ledger.ts';
import {
  egressHeader,
  formatHead,
  parseAbsoluteForm,
  requestHeaders,
  responseHeaders,
} from '#wall/proxy-message.ts';
import type { DoorLimits } from '#wall/ways-out.ts';

const statusOf = { denied: 403, blocked: 403, unresolved: 502, unreachable: 502, exhausted: 503 } as const;
const tooManyInterim = () => new Error('it sends interim responses without end');
/** Responses with a status of 100 to 199, each of which costs as much as a whole one. A server sends one or two. */
const maxInterim = 20;

export function createEgressTraffic(door: {
  ledger: EgressLedger;
  limits: DoorLimits;
  /** The only way to a server; checked. */
  reach: (target: Authority) => Promise<Socket>;
  /** For one connection from the browser. It connects only through `reach`, and is destroyed with that connection. */
  agentOf: (client: Socket) => Agent | undefined;
}) {
  const { ledger, limits, reach, agentOf } = door;

  function forward(request: IncomingMessage, response: ServerResponse): void {
    const client = request.socket;
    let isSettled = false;
    /** No body, because a frame of the page would show it. */
    function refuse(status: number, kind: RefusalKind | 'malformed'): void {
      request.resume();
      if (response.headersSent) response.destroy();
      else response.writeHead(status, refusalHeaders(kind, '')).end();
    }
    const target = parseAbsoluteForm(request.url ?? '');
    if (target === undefined) return refuse(400, 'malformed');
    function fail(error: Error): void {
      // Once a response has begun, its own stream shows the browser that it was cut off.
      if (isSettled || client.destroyed) return;
      isSettled = true;
      const refused = asRefused(error, target!);
      ledger.refuse(target!, refused);
      refuse(statusOf[refused.kind], refused.kind);
    }
    try {
      ledger.countRequest();
      const agent = agentOf(client);
      // Without an agent, Node would use its global one, which dials unchecked.
      if (agent === undefined) throw new Error('the browser hung up');
      const outgoing = httpRequest({
        agent,
        host: target.host,
        port: target.port,
        method: request.method!,
        path: target.path,
        headers: requestHeaders(request.rawHeaders, target),
        setHost: false,
        // Browsers accept bare line feeds and similar faults; the forwarded message is rewritten by the rules.
        insecureHTTPParser: true,
        maxHeaderSize: limits.headerBytes,
      });
      let interim = 0;
      outgoing.on('information', () => {
        interim += 1;
        if (interim > maxInterim) outgoing.destroy(tooManyInterim());
      });
      outgoing.on('response', (answer) => {
        try {
          // It may have arrived in the same packet as the interim ones.
          if (interim > maxInterim) throw tooManyInterim();
          response.sendDate = false;
          // Throws if the status cannot be written, or if the browser has just disconnected.
          response.writeHead(answer.statusCode!, answer.statusMessage, responseHeaders(answer.rawHeaders));
          relay(answer, response);
          isSettled = true;
        } catch (error) {
          outgoing.destroy();
          fail(error as Error);
        }
      });
      outgoing.on('error', (error) => {
        const isStale = outgoing.reusedSocket && !(error instanceof EgressRefused) && !isSettled;
        if (isStale) client.destroy();
        else fail(error);
      });
      outgoing.on('close', () => fail(new Error('it broke off')));
      if (hasBody(request)) request.pipe(outgoing);
      else outgoing.end();
    } catch (error) {
      fail(error as Error);
    }
  }

  async function tunnel(request: IncomingMessage, head: Buffer): Promise<void> {
    const client = request.socket;
    const target = parseAuthority(request.url ?? '');
    if (target === undefined) return refuseRaw(client, 400, 'malformed', 'CONNECT takes host:port');
    try {
      ledger.countRequest();
      const upstream = await reach(target);
      client.write(formatHead(200, []));
      upstream.write(head);
      splice(client, upstream);
    } catch (error) {
      const refused = asRefused(error as Error, target);
      if (client.destroyed) return;
      ledger.refuse(target, refused);
      refuseRaw(client, statusOf[refused.kind], refused.kind, refused.message);
    }
  }

  return { forward, tunnel };
}

/** RFC 9112 6: without these headers a request has no body. Most have none, and then need no pipe. */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/** If either side breaks off, so does the other. `pipeline` does the same, but creates an error with a stack trace each time. */
function relay(answer: IncomingMessage, response: ServerResponse): void {
  answer.on('error', () => response.destroy());
  response.on('error', () => answer.destroy());
  response.on('close', () => answer.destroy());
  answer.pipe(response);
}

/** RFC 9112 9.6: a request that the parser cannot read gets one response, and the connection is closed. */
export function refuseMalformed(error: NodeJS.ErrnoException, client: Duplex): void {
  if (!client.writable || error.code === 'ECONNRESET') client.destroy();
  else if (error.code === 'HPE_HEADER_OVERFLOW')
    refuseRaw(client, 431, 'malformed', 'the headers are too long');
  else refuseRaw(client, 400, 'malformed', 'the request is not HTTP');
}

function asRefused(error: NodeJS.ErrnoException, { host, port }: Authority): EgressRefused {
  if (error instanceof EgressRefused) return error;
  return new EgressRefused(
    'unreachable',
    `no answer from ${host} port ${port} (${error.code ?? error.message})`,
  );
}

function refuseRaw(client: Duplex, status: number, kind: RefusalKind | 'malformed', reason: string): void {
  client.resume();
  client.end(formatHead(status, Object.entries(refusalHeaders(kind, reason)).flat()) + reason);
}

/** The renderer must tell these from a page's own responses: Chromium shows the body of a plain 403 as if it were the page. */
function refusalHeaders(kind: RefusalKind | 'malformed', reason: string): Record<string, string> {
  return {
    [egressHeader]: kind,
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(Buffer.byteLength(reason)),
    'cache-control': 'no-store',
    connection: 'close',
  };
}

function splice(left: Socket, right: Socket): void {
  left.pipe(right).pipe(left);
  left.on('close', () => right.destroySoon());
  right.on('close', () => left.destroySoon());
  // The other side may have disconnected while this one was being connected.
  if (left.destroyed || right.destroyed) [left, right].forEach((socket) => socket.destroy());
}
