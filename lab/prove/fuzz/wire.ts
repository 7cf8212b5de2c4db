// A connection that sends arbitrary bytes and parses responses itself, so that no client library corrects or tolerates anything
// between a case and the service.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Answered } from '#test/support/contract.ts';

export interface Sent {
  method: string;
  /** Written one by one. */
  pieces: Buffer[];
  /** The bytes end before the request does: the connection is closed after them. */
  isCut?: boolean;
}

export interface Wire {
  /** The response, or undefined if the connection was closed without one. Rejects if neither comes in time. */
  exchange(sent: Sent): Promise<Answered | undefined>;
  close(): void;
}

const patienceMs = 20_000;

/** Keeps its connection as long as the service does; a cut request is the last one on its connection. */
export function openWire(port: number): Wire {
  let socket: Socket | undefined;

  async function exchange({ method, pieces, isCut = false }: Sent): Promise<Answered | undefined> {
    const mine = (socket ??= dial(port));
    const { promise, resolve, reject } = Promise.withResolvers<Answered | undefined>();
    const reader = createReader(method);
    const timer = setTimeout(() => reject(new Error(`no answer within ${patienceMs} ms`)), patienceMs);
    const onData = (chunk: Buffer): void => {
      const answer = reader.read(chunk);
      if (answer) resolve(answer);
    };
    const onEnd = (): void => resolve(reader.end());
    mine.on('data', onData).on('end', onEnd).on('close', onEnd);
    for (const piece of pieces) if (mine.writable) mine.write(piece);
    if (isCut) mine.end();
    try {
      const answer = await promise;
      if (isCut || answer?.headers['connection'] !== 'keep-alive') close();
      return answer;
    } catch (error) {
      close();
      throw error;
    } finally {
      clearTimeout(timer);
      mine.off('data', onData).off('end', onEnd).off('close', onEnd);
    }
  }

  function close(): void {
    socket?.destroy();
    socket = undefined;
  }

  return { exchange, close };
}

/** Sends once on a new connection and reads everything until the service closes it. */
export async function readToEnd(port: number, pieces: Buffer[]): Promise<Buffer> {
  const socket = dial(port);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => socket.end());
  for (const piece of pieces) socket.write(piece);
  await once(socket, 'close', { signal: AbortSignal.timeout(patienceMs) });
  return Buffer.concat(chunks);
}

function dial(port: number): Socket {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
  // A reset shows as a close without an answer.
  return socket.on('error', () => {});
}

function createReader(method: string) {
  let unread = Buffer.alloc(0);
  let head: { status: number; headers: Record<string, string> } | undefined;

  function read(chunk: Buffer): Answered | undefined {
    unread = Buffer.concat([unread, chunk]);
    while (!head) {
      const end = unread.indexOf('\r\n\r\n');
      if (end === -1) return undefined;
      const parsed = parseHead(unread.toString('latin1', 0, end));
      unread = unread.subarray(end + 4);
      // 100 Continue and its like come before the answer.
      if (parsed.status >= 200) head = parsed;
    }
    const { status, headers } = head;
    if (method === 'HEAD' || status === 204 || status === 304) return { ...head, body: Buffer.alloc(0) };
    if (headers['transfer-encoding'] === 'chunked') {
      const body = dechunked(unread);
      return body && { ...head, body };
    }
    const length = Number(headers['content-length'] ?? Number.NaN);
    return unread.length >= length ? { ...head, body: unread.subarray(0, length) } : undefined;
  }

  return {
    read,
    /** What has been read when the connection ends: a response without a length is complete then. */
    end: (): Answered | undefined =>
      head && head.headers['content-length'] === undefined ? { ...head, body: unread } : undefined,
  };
}

function parseHead(text: string): { status: number; headers: Record<string, string> } {
  const [statusLine = '', ...lines] = text.split('\r\n');
  const pairs = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { status: Number(statusLine.split(' ')[1]), headers: Object.fromEntries(pairs) };
}

function dechunked(bytes: Buffer): Buffer | undefined {
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    const begin = lineEnd + 2;
    if (bytes.length < begin + size + 2) return undefined;
    if (size === 0) return Buffer.concat(parts);
    parts.push(bytes.subarray(begin, begin + size));
    at = begin + size + 2;
  }
}
