// The requests of the service itself: webhooks, files PUT elsewhere, uploads from an address. They obey the rules that pages obey:
// public addresses only, each name resolved once and the addresses found there dialled. One connection per request, no redirects, a
// deadline for the whole exchange and a limit for what comes back; whatever happens, nothing of it stays open.
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { authorityOf, type Authority } from '#wall/canonical-host.ts';
import { dial } from '#wall/dial.ts';
import type { Wall } from '#wall/wall.ts';
import { waysOut, type DialedWay } from '#wall/ways-out.ts';

const MiB = 1024 * 1024;
/** The longest time for an exchange with a body of this size, in either direction. */
export function exchangeMsFor(way: DialedWay, bodyBytes: number, exchangeMs?: number): number {
  const { limits } = waysOut[way];
  return (exchangeMs ?? limits.exchangeMs) + Math.ceil((bodyBytes / MiB) * limits.msPerMiB);
}
/**
 * In addition, for each byte of a body. What frames a body of one-byte chunks is five times as large, and the parser takes seconds of
 * this process for it, because it does all that one read brings before anything else.
 */
const framingShare = 1 / 8;
const headBytes = MiB / 64;

export type OutgoingFailureKind =
  /** The name stands for an address that is not public. */
  | 'not_public'
  /** The name does not resolve, nothing accepts connections there, or the connection broke off before an answer. */
  | 'unreachable'
  /** The certificate is not valid for this name, or TLS failed otherwise. */
  | 'certificate'
  | 'timeout'
  /** What answered does not speak HTTP, or sends much else than a body. */
  | 'malformed'
  | 'too_large';

export class OutgoingFailure extends Error {
  readonly kind: OutgoingFailureKind;

  constructor(kind: OutgoingFailureKind, options?: ErrorOptions) {
    super(`the request failed (${kind})`, options);
    this.name = 'OutgoingFailure';
    this.kind = kind;
  }
}

export interface SendRequest {
  way: Exclude<DialedWay, 'upload'>;
  /** With another scheme than those of the way, it is a mistake of the caller. */
  url: string;
  contentType: string;
  headers?: Record<string, string>;
  body: Buffer | { stream: Readable; sizeBytes: number };
  signal?: AbortSignal | undefined;
}

export interface Download {
  status: number;
  contentType: string | undefined;
  /** Fails with `too_large` as soon as there is a byte too many. */
  body: AsyncIterable<Buffer>;
}

interface Exchange {
  way: DialedWay;
  url: URL;
  headers: Record<string, string | number>;
  body: Buffer | Readable | undefined;
  /** The size of the larger body. */
  bodyBytes: number;
  /** How many bytes the connection may bring, while this many of the body have not been read yet. */
  maxBytes: (unread: number) => number;
  signal: AbortSignal | undefined;
}

export type Outgoing = ReturnType<typeof createOutgoing>;

export function createOutgoing({
  wall,
  exchangeMs,
}: {
  wall: Wall;
  /** Lets a test wait for less time. */
  exchangeMs?: number;
}) {
  /** `receive` gets the answer once its head is there. The connection ends when it settles. */
  async function exchange<T>(
    { way, url, headers, body, bodyBytes, maxBytes, signal }: Exchange,
    receive: (answer: IncomingMessage) => Promise<T>,
  ): Promise<T> {
    const { schemes, method, limits } = waysOut[way];
    if (!schemes.some((scheme) => url.protocol === `${scheme}:`))
      throw new Error(`this way takes ${schemes.join(' and ')} alone`);
    const end = new AbortController();
    const sockets = new Set<Socket>();
    const track = (socket: Socket): void => {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    };
    end.signal.addEventListener('abort', () => sockets.forEach((socket) => socket.destroy()));
    const onAbort = (): void => end.abort(signal?.reason);
    signal?.addEventListener('abort', onAbort);
    const timer = setTimeout(
      () => end.abort(new OutgoingFailure('timeout')),
      exchangeMsFor(way, bodyBytes, exchangeMs),
    );
    try {
      signal?.throwIfAborted();
      const timeoutMs = exchangeMs ?? limits.exchangeMs;
      const socket = await open(way, url, { signal: end.signal, track, timeoutMs });
      const outgoing = httpRequest({
        createConnection: () => socket,
        method,
        path: url.pathname + url.search,
        headers: { host: url.host, 'user-agent': 'Tintype', ...headers, connection: 'close' },
        setHost: false,
        maxHeaderSize: headBytes,
      });
      let answer: IncomingMessage | undefined;
      outgoing.once('response', (given) => {
        answer = given;
      });
      // Attached after the parser: a listener before it would let the first bytes pass unparsed.
      outgoing.once('socket', () =>
        socket.on('data', () => {
          if (socket.bytesRead > maxBytes(answer?.readableLength ?? 0))
            end.abort(new OutgoingFailure('malformed'));
        }),
      );
      return await receive(await answerTo(outgoing, body));
    } catch (error) {
      throw end.signal.aborted ? end.signal.reason : asFailure(error as NodeJS.ErrnoException);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      for (const socket of sockets) socket.destroy();
      if (body && !Buffer.isBuffer(body)) body.destroy();
    }
  }

  async function open(
    way: DialedWay,
    url: URL,
    options: { signal: AbortSignal; track: (socket: Socket) => void; timeoutMs: number },
  ): Promise<Socket> {
    const target = authorityOf(url.href);
    if (!target) throw new OutgoingFailure('not_public');
    const verdict = await wall.rulesFor(way).decide(target.host, target.port, options.signal);
    options.signal.throwIfAborted();
    if (verdict.kind !== 'allowed')
      throw new OutgoingFailure(verdict.kind === 'denied' ? 'not_public' : 'unreachable', {
        cause: verdict.reason,
      });
    const socket = await dial({
      addresses: verdict.addresses,
      port: target.port,
      timeoutMs: options.timeoutMs,
      isDone: () => options.signal.aborted,
      track: options.track,
    });
    return url.protocol === 'https:' ? secure(socket, target, options.track) : socket;
  }

  return {
    /** Sends the body and resolves to the status of the answer; nothing else of it is kept. */
    async send({ way, url, contentType, headers, body, signal }: SendRequest): Promise<number> {
      const isBuffer = Buffer.isBuffer(body);
      const bodyBytes = isBuffer ? body.length : body.sizeBytes;
      return exchange(
        {
          way,
          url: new URL(url),
          headers: { ...headers, 'content-type': contentType, 'content-length': bodyBytes },
          body: isBuffer ? body : body.stream,
          bodyBytes,
          maxBytes: () => waysOut[way].limits.answerBytes,
          signal,
        },
        async (answer) => {
          // Read to its end if that is near, so that the receiver is not cut off while it writes. The status counts in any case.
          await readAll(answer).catch(() => {});
          return answer.statusCode!;
        },
      );
    },

    /** Reads a file of at most `maxBytes`. The connection ends when `receive` settles. */
    async download<T>(
      { url, maxBytes, signal }: { url: string; maxBytes: number; signal?: AbortSignal | undefined },
      receive: (file: Download) => Promise<T>,
    ): Promise<T> {
      let read = 0;
      async function* bounded(answer: IncomingMessage): AsyncGenerator<Buffer> {
        for await (const chunk of answer as AsyncIterable<Buffer>) {
          read += chunk.length;
          if (read > maxBytes) throw new OutgoingFailure('too_large');
          yield chunk;
        }
      }
      return exchange(
        {
          way: 'upload',
          url: new URL(url),
          headers: { accept: '*/*', 'accept-encoding': 'identity' },
          body: undefined,
          bodyBytes: maxBytes,
          maxBytes: (unread) => waysOut.upload.limits.answerBytes + (read + unread) * (1 + framingShare),
          signal,
        },
        (answer) => {
          if (Number(answer.headers['content-length']) > maxBytes) throw new OutgoingFailure('too_large');
          return receive({
            status: answer.statusCode!,
            contentType: answer.headers['content-type'],
            body: bounded(answer),
          });
        },
      );
    },
  };
}

/** The certificate must be valid for the name in the URL, whatever address it was dialled at. */
async function secure(socket: Socket, { host }: Authority, track: (socket: Socket) => void): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const secured = connectTls(
    { socket, host, servername: isIP(host) ? '' : host, ALPNProtocols: ['http/1.1'] },
    () => resolve(secured),
  );
  track(secured);
  secured.once('error', (error: NodeJS.ErrnoException) =>
    reject(new OutgoingFailure(isOfConnection(error) ? 'unreachable' : 'certificate', { cause: error })),
  );
  secured.once('close', () => reject(new OutgoingFailure('unreachable')));
  return promise;
}

function answerTo(outgoing: ClientRequest, body: Buffer | Readable | undefined): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  outgoing.once('response', resolve);
  outgoing.on('error', reject);
  outgoing.once('close', () => reject(new OutgoingFailure('unreachable')));
  if (body === undefined || Buffer.isBuffer(body)) outgoing.end(body);
  // An answer may come before the body has been sent; what is left of it is then not sent.
  else pipeline(body, outgoing, (error) => error && reject(error));
  return promise;
}

async function readAll(answer: IncomingMessage): Promise<void> {
  for await (const _ of answer);
}

function asFailure(error: NodeJS.ErrnoException): Error {
  if (error instanceof OutgoingFailure) return error;
  if (error.code?.startsWith('HPE_')) return new OutgoingFailure('malformed', { cause: error });
  return isOfConnection(error) ? new OutgoingFailure('unreachable', { cause: error }) : error;
}

/** ECONNRESET, EPIPE, ETIMEDOUT and the like, not a mistake in this program. */
const isOfConnection = ({ code }: NodeJS.ErrnoException): boolean =>
  code !== undefined && /^(E[A-Z]+|ERR_STREAM_PREMATURE_CLOSE)$/.test(code);
