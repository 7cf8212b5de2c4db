// What arrives in many small pieces: as rows, each with the bytes that begin a connection and those that are repeated on it.

export interface SmallPieces {
  name: string;
  connections: number;
  /** Of all connections together; undefined if as many as the service takes. */
  bytesPerSecond?: number;
  /** One byte in each TLS record, on a service with a certificate. */
  isTls?: boolean;
  hasKey: boolean;
  head: (key: string) => string;
  /** Repeated without end. */
  unit: string;
  /** Sent once, then the next connection is opened. */
  isOnce?: boolean;
}

const chunked = 'Transfer-Encoding: chunked\r\n';
const nowhere = (header: string) => () => `POST /nowhere HTTP/1.1\r\nHost: x\r\n${header}\r\n`;
const upload = (header: string) => (key: string) =>
  `POST /api/v1/upload HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: multipart/form-data; boundary=XX\r\n${header}\r\n`;
const partHead = '--XX\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n';
const asChunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const form = (key: string): string => upload(chunked)(key) + asChunk(partHead);
const json = (key: string): string =>
  `POST /api/v1/screenshot HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${chunked}\r\n`;
const oneByte = asChunk('x');
const megabytes = 1_000_000;

const open = { hasKey: false, head: nowhere(chunked), unit: oneByte };
const keyed = { hasKey: true, head: form, unit: oneByte };
const few = { connections: 20, hasKey: false };

export const smallPieces: SmallPieces[] = [
  { name: 'chunks of one byte, no key', connections: 20, ...open },
  { name: 'chunks of one byte to an upload', connections: 20, ...keyed },
  { name: 'chunks of one byte, no key', connections: 200, ...open },
  { name: 'chunks of one byte to an upload', connections: 200, ...keyed },
  { name: 'chunks of one byte, no key', connections: 50, bytesPerSecond: 3 * megabytes, ...open },
  { name: 'chunks of one byte, no key', connections: 20, bytesPerSecond: 1.5 * megabytes, ...open },
  { name: 'chunks of one byte to an upload', connections: 20, bytesPerSecond: 1.5 * megabytes, ...keyed },
  {
    name: 'chunks of 16 bytes to an upload',
    connections: 20,
    bytesPerSecond: 3 * megabytes,
    hasKey: true,
    head: form,
    unit: asChunk('x'.repeat(16)),
  },
  { name: 'chunks of one byte with an extension', ...few, head: nowhere(chunked), unit: '1;a=b\r\nx\r\n' },
  { name: 'a JSON body in chunks of one byte', ...few, hasKey: true, head: json, unit: asChunk(' ') },
  {
    name: 'an upgrade with chunks of one byte',
    ...few,
    head: nowhere(`Connection: Upgrade\r\nUpgrade: websocket\r\n${chunked}`),
    unit: oneByte,
  },
  {
    name: 'bytes after CONNECT',
    ...few,
    head: () => 'CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n',
    unit: oneByte,
  },
  { name: 'trailers of four bytes', ...few, head: () => `${nowhere(chunked)()}0\r\n`, unit: 'a:\r\n' },
  { name: 'header lines of four bytes', ...few, head: () => 'GET / HTTP/1.1\r\nHost: x\r\n', unit: 'a:\r\n' },
  { name: 'pipelined requests', ...few, head: () => '', unit: 'GET /n HTTP/1.1\r\nHost:x\r\n\r\n' },
  { name: 'empty lines before a request', ...few, head: () => '', unit: '\r\n' },
  {
    name: 'a form with parts of one byte',
    ...few,
    hasKey: true,
    isOnce: true,
    head: upload('Content-Length: 1000000\r\n'),
    unit: `${partHead}x\r\n`,
  },
  {
    name: 'TLS records of one byte, no key',
    isTls: true,
    connections: 20,
    hasKey: false,
    head: nowhere('Content-Length: 100000000\r\n'),
    unit: 'x',
  },
  {
    name: 'TLS records of one byte to an upload',
    isTls: true,
    connections: 20,
    hasKey: true,
    head: upload('Content-Length: 1000000\r\n'),
    unit: 'x',
  },
];
