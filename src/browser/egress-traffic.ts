// The three shapes of traffic through a door: plain requests, CONNECT tunnels and WebSocket upgrades. Design section 5.
import {
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  request as httpRequest,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import { type Authority, parseAuthority } from '#browser/canonical-host.ts';
import {
  type EgressLedger,
  type EgressLimits,
  EgressRefused,
  type RefusalKind,
} from '#browser/egress-ledger.ts';
import {
  egressHeader,
  formatHead,
  parseAbsoluteForm,
  type ProxyTarget,
  requestHeaders,
  responseHeaders,
} from '#browser/proxy-message.ts';

const statusOf = { denied: 403, unresolved: 502, unreachable: 502, exhausted: 503 } as const;
const notAbsolute = 'this is a proxy: send an absolute http:// address';

export function createEgressTraffic(door: {
  ledger: EgressLedger;
  limits: EgressLimits;
  /** The one checked way to a server. */
  reach: (target: Authority) => Promise<Socket>;
  /** Of a connection from the browser. It connects by `reach` alone, and is destroyed with the connection. */
  agentOf: (client: Socket) => Agent | undefined;
}) {
  const { ledger, limits, reach, agentOf } = door;

  function forward(request: IncomingMessage, response: ServerResponse): void {
    function refuse(status: number, kind: RefusalKind | 'malformed', reason: string): void {
      request.resume();
      response.writeHead(status, refusalHeaders(kind, reason)).end(reason);
    }
    const target = parseAbsoluteForm(request.url ?? '');
    if (target === undefined) return refuse(400, 'malformed', notAbsolute);
    const outgoing = send(request, target, [], ({ kind, message }) => refuse(statusOf[kind], kind, message));
    outgoing?.on('response', (answer) => {
      response.sendDate = false;
      try {
        response.writeHead(answer.statusCode!, answer.statusMessage, responseHeaders(answer.rawHeaders));
      } catch {
        response.destroy();
      }
      pipeline(answer, response, () => {});
    });
  }

  /** Chromium tunnels ws:// through CONNECT; this is the other way that the protocol allows. */
  function upgrade(request: IncomingMessage, head: Buffer): void {
    const client = request.socket;
    const target = parseAbsoluteForm(request.url ?? '');
    if (target === undefined) return refuseRaw(client, 400, 'malformed', notAbsolute);
    const refuse = ({ kind, message }: EgressRefused) => refuseRaw(client, statusOf[kind], kind, message);
    const switching = ['Connection', 'Upgrade', 'Upgrade', 'websocket'];
    const outgoing = send(request, target, switching, refuse);
    outgoing?.on('upgrade', (answer, upstream: Socket, upstreamHead) => {
      const headers = [...responseHeaders(answer.rawHeaders), ...switching];
      client.write(formatHead(101, headers));
      client.write(upstreamHead);
      upstream.write(head);
      splice(client, upstream);
    });
    outgoing?.on('response', () => {
      outgoing.destroy();
      refuse(new EgressRefused('unreachable', 'the server did not switch to WebSocket'));
    });
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
      ledger.refuse('connect', target, refused);
      refuseRaw(client, statusOf[refused.kind], refused.kind, refused.message);
    }
  }

  /** `refuse` is called when the request was turned away or failed before any answer came. */
  function send(
    request: IncomingMessage,
    target: ProxyTarget,
    extraHeaders: string[],
    refuse: (refused: EgressRefused) => void,
  ): ClientRequest | undefined {
    let isAnswered = false;
    const fail = (error: Error) => {
      // The browser's own hang-up, the end of the door, or an answer that broke off: its stream tells the browser.
      if (isAnswered || request.socket.destroyed) return;
      const refused = asRefused(error, target);
      ledger.refuse('http', target, refused);
      refuse(refused);
    };
    try {
      ledger.countRequest();
      const outgoing = httpRequest({
        agent: agentOf(request.socket)!,
        host: target.host,
        port: target.port,
        method: request.method!,
        path: target.path,
        headers: [...requestHeaders(request.rawHeaders, target), ...extraHeaders],
        setHost: false,
        // Browsers put up with bare line feeds and the like; what is passed on is written anew, by the rules.
        insecureHTTPParser: true,
        maxHeaderSize: limits.headerBytes,
      });
      outgoing.on('response', () => (isAnswered = true));
      outgoing.on('error', (error) => {
        const isStale = outgoing.reusedSocket && !(error instanceof EgressRefused) && !isAnswered;
        if (isStale) request.socket.destroy();
        else fail(error);
      });
      request.pipe(outgoing);
      return outgoing;
    } catch (error) {
      fail(error as Error);
      return undefined;
    }
  }

  return { forward, tunnel, upgrade };
}

/** RFC 9112 9.6: what the parser could not read is answered once, and the connection is closed. */
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

/** The renderer must know these from a page's own: Chromium shows the body of a plain 403 as if it were the page. */
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
  // The other side may have gone while this one was being connected.
  if (left.destroyed || right.destroyed) [left, right].forEach((socket) => socket.destroy());
}
