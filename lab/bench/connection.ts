// A client that uses as little CPU as possible, because it shares the machine with what it measures: one kept connection,
// requests prepared in advance, and responses that are counted but not parsed.
import { connect, type Socket } from 'node:net';

export interface Connection {
  /** Sends a whole request and resolves when its response is complete. */
  send(request: Buffer): Promise<{ status: number; bodyBytes: number }>;
  close(): void;
}

interface Waiting extends PromiseWithResolvers<{ status: number; bodyBytes: number }> {
  head: string;
  status: number;
  bodyBytes: number;
  missingBytes: number;
}

const endOfHead = '\r\n\r\n';
const freshMs = 1_000;

export async function openConnection(origin: string): Promise<Connection> {
  const { hostname, port } = new URL(origin);
  let waiting: Waiting | undefined;
  const connected = Promise.withResolvers<void>();
  const socket: Socket = connect(
    {
      host: hostname,
      port: Number(port),
      noDelay: true,
      // One buffer for every read: no body is kept.
      onread: {
        buffer: Buffer.allocUnsafe(256 * 1024),
        callback: (count, buffer) => {
          receive(buffer as Buffer, count);
          return true;
        },
      },
    },
    connected.resolve,
  );
  const fail = (error: Error) => {
    connected.reject(error);
    waiting?.reject(error);
  };
  socket.on('error', fail);
  socket.on('close', () => fail(new Error(`${origin} closed the connection`)));
  await connected.promise;

  function receive(buffer: Buffer, count: number): void {
    if (!waiting) return;
    let bodyBytes = count;
    if (waiting.missingBytes < 0) {
      const text = waiting.head + buffer.toString('latin1', 0, Math.min(count, 8_192));
      const end = text.indexOf(endOfHead);
      if (end === -1) {
        waiting.head = text;
        return;
      }
      const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, end))?.[1];
      if (length === undefined) {
        waiting.reject(new Error(`an answer without content-length: ${text.slice(0, end)}`));
        return;
      }
      bodyBytes = count - (end + endOfHead.length - waiting.head.length);
      waiting.status = Number(text.slice(9, 12));
      waiting.bodyBytes = Number(length);
      waiting.missingBytes = Number(length);
    }
    waiting.missingBytes -= bodyBytes;
    if (waiting.missingBytes > 0) return;
    const done = waiting;
    waiting = undefined;
    done.resolve({ status: done.status, bodyBytes: done.bodyBytes });
  }

  return {
    send(request) {
      const sent = Promise.withResolvers<{ status: number; bodyBytes: number }>();
      waiting = { ...sent, head: '', status: 0, bodyBytes: 0, missingBytes: -1 };
      socket.write(request);
      return sent.promise;
    },
    close: () => socket.destroy(),
  };
}

/** Connections to one server, one for each lane; each response must have the expected status. */
export async function openLanes(
  origin: string,
  lanes: number,
  status: number,
): Promise<{ send(lane: number, request: Buffer): Promise<void>; close(): void }> {
  const open = async () => ({ connection: await openConnection(origin), usedAt: performance.now() });
  const opened = await Promise.all(Array.from({ length: lanes }, open));
  return {
    async send(lane, request) {
      let mine = opened[lane];
      // A server closes a connection that was idle while others had their turns.
      if (!mine || performance.now() - mine.usedAt > freshMs) {
        mine?.connection.close();
        mine = await open();
        opened[lane] = mine;
      }
      const answer = await mine.connection.send(request);
      mine.usedAt = performance.now();
      if (answer.status !== status) throw new Error(`${origin} answered ${answer.status}, not ${status}`);
    },
    close: () => opened.forEach(({ connection }) => connection.close()),
  };
}

/** A request as it goes over the wire. */
export function requestBytes(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body: Buffer = Buffer.alloc(0),
): Buffer {
  const lines = Object.entries({
    host: '127.0.0.1',
    ...headers,
    ...(method !== 'GET' && { 'content-length': String(body.length) }),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), body]);
}
