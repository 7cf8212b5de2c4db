// Clients whose bodies are too long, never end or have the wrong length: how the service answers each, how much of it the service
// accepts, and when it cuts the connection. Spec 4.1, 4.2, 7.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { uploadHead } from '#lab/prove/connections/traffic.ts';

export interface EndlessCase {
  name: string;
  head: Buffer;
  /** Sent repeatedly. */
  chunk: Buffer;
  expected: string;
}

export interface EndlessOutcome {
  answer: string;
  sentBytes: number;
  /** From the answer until the connection was cut. */
  goesOnMs: number;
}

const MiB = 1024 * 1024;
/** Above this the client gives up: a service that accepted this much has failed. */
const mostBytes = 2_048 * MiB;

export function endlessCases(key: string, slug: string): EndlessCase[] {
  const part = '--XX\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
  const bytes = Buffer.alloc(65_536, 0x2a);
  const chunked = Buffer.concat([Buffer.from('10000\r\n'), bytes, Buffer.from('\r\n')]);
  const firstChunk = `${part.length.toString(16)}\r\n${part}\r\n`;
  const with_ = (head: Buffer, text: string): Buffer => Buffer.concat([head, Buffer.from(text)]);
  const oneGigabyte = `Content-Length: ${1024 * MiB}`;
  const chunkedFraming = 'Transfer-Encoding: chunked';
  const json = Buffer.from(
    `POST /api/v1/screenshot HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${chunkedFraming}\r\n\r\n`,
  );
  const batch = uploadHead(key, chunkedFraming, '/api/v1/upload/batch');
  return [
    {
      name: 'an upload in chunks without end',
      head: with_(uploadHead(key, chunkedFraming), firstChunk),
      chunk: chunked,
      expected: '413 file_too_large',
    },
    {
      name: 'an upload that announces 1 GB',
      head: with_(uploadHead(key, oneGigabyte), part),
      chunk: bytes,
      expected: '413 file_too_large',
    },
    {
      name: 'a batch without end',
      head: with_(batch, firstChunk),
      chunk: chunked,
      expected: '413 batch_too_large',
    },
    { name: 'a JSON body without end', head: json, chunk: chunked, expected: '422 validation_error' },
    {
      name: 'an upload without end and without a key',
      head: uploadHead('none', chunkedFraming),
      chunk: chunked,
      expected: '401 unauthorized',
    },
    {
      name: 'a body without end for a GET',
      head: Buffer.from(`GET /f/${slug} HTTP/1.1\r\nHost: x\r\n${chunkedFraming}\r\n\r\n`),
      chunk: chunked,
      expected: '200',
    },
    {
      name: 'an upload longer than it says',
      head: with_(uploadHead(key, 'Content-Length: 100'), part),
      chunk: bytes,
      expected: '422 validation_error',
    },
  ];
}

export async function sendEndlessly(port: number, { head, chunk }: EndlessCase): Promise<EndlessOutcome> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  let received = '';
  let answeredAt: number | undefined;
  socket.on('data', (data: Buffer) => {
    received += data.toString('latin1');
    answeredAt ??= performance.now();
  });
  const { promise: closed, resolve: onClose } = Promise.withResolvers<void>();
  socket.on('close', () => onClose());
  await once(socket, 'connect');
  socket.write(head);
  const sentBytes = await pour(socket, chunk);
  await closed;
  const [, status = 'closed'] = /^HTTP\/1\.1 (\d+)/.exec(received) ?? [];
  const [, code] = /"code":"(\w+)"/.exec(received) ?? [];
  const goesOnMs = performance.now() - (answeredAt ?? performance.now());
  return { answer: [status, code].filter(Boolean).join(' '), sentBytes, goesOnMs };
}

async function pour(socket: Socket, chunk: Buffer): Promise<number> {
  let sentBytes = 0;
  let goOn: () => void = () => {};
  socket.on('drain', () => goOn()).on('close', () => goOn());
  while (!socket.destroyed && sentBytes < mostBytes) {
    sentBytes += chunk.length;
    const hasRoom = socket.write(chunk);
    await new Promise<void>((resolve) => {
      goOn = resolve;
      if (hasRoom) setImmediate(resolve);
    });
  }
  socket.destroy();
  return sentBytes;
}
