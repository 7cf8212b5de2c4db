// Requests as raw bytes: for methods, paths and headers that fetch refuses to send or normalises.
import { connect } from 'node:net';

export interface RawAnswer {
  status: number;
  /** Names in lower case; a header that came twice has both values, joined by a comma. */
  headers: Record<string, string>;
  body: string;
}

export async function rawRequest(
  origin: string,
  method: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<RawAnswer> {
  const lines = Object.entries({ host: 'tintype.test', connection: 'close', ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return rawBytes(origin, `${method} ${path} HTTP/1.1\r\n${head}\r\n`);
}

export async function rawBytes(
  origin: string,
  bytes: string | Buffer,
  { isCut = false } = {},
): Promise<RawAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
  const { port } = new URL(origin);
  const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: isCut });
  const chunks: Buffer[] = [];
  socket.setTimeout(60_000, () => socket.destroy(new Error('no answer within 60 s')));
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', reject);
  socket.on('close', () => resolve(parse(Buffer.concat(chunks).toString('latin1'))));
  if (isCut) socket.on('end', () => socket.destroy()).end(bytes);
  else socket.write(bytes);
  return promise;
}

function parse(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return { status: Number(statusLine.split(' ')[1]), headers, body: rest.join('\r\n\r\n') };
}
