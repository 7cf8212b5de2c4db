// Requests whose heads and bodies are as hard to parse as possible, at any size up to the largest accepted one.
export interface HeadCase {
  name: string;
  /** Bytes of the hostile part. */
  largest: number;
  /** The whole request; `key` is a key of an account without limits. */
  request(size: number, key: string): string;
}

/** What is left of Node's 16 KiB for one header after the others. */
const headerBytes = 15_000;

const get = (path: string, header = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${header}\r\n`;
const filled = (text: string, size: number): string =>
  text.repeat(Math.ceil(size / text.length)).slice(0, size);

const header = (name: string, path: string, field: string, fill: string, end = ''): HeadCase => ({
  name,
  largest: headerBytes,
  request: (size) => get(path, `${field}: a${filled(fill, size)}${end}\r\n`),
});

const posted = (path: string, key: string, type: string, body: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: ${type}\r\n` +
  `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

const json = (name: string, bodyOf: (size: number) => string): HeadCase => ({
  name: `JSON body: ${name}`,
  largest: 64_000,
  request: (size, key) => posted('/api/v1/screenshot', key, 'application/json', bodyOf(size)),
});

const form = (name: string, type: string, bodyOf: (size: number) => string): HeadCase => ({
  name: `form: ${name}`,
  largest: 16_000,
  request: (size, key) => posted('/api/v1/upload', key, type, bodyOf(size)),
});

const partOf = (head: string): string => `--XX\r\n${head}\r\n\r\nx\r\n--XX--\r\n`;
const formType = 'multipart/form-data; boundary=XX';

export const headCases: HeadCase[] = [
  {
    name: 'request line with an unknown method',
    largest: 60_000,
    request: (size) => `FOO /${'a'.repeat(size)}`,
  },
  {
    name: 'path, percent-encoded',
    largest: headerBytes,
    request: (size) => get(`/f/${filled('%41', size)}`),
  },
  { name: 'path of the API', largest: headerBytes, request: (size) => get(`/api${filled('/%61', size)}`) },
  { name: 'path with long words', largest: headerBytes, request: (size) => get(`/${filled('a-_', size)}`) },
  { name: 'query', largest: headerBytes, request: (size) => get(`/oembed?${filled('a=b&', size)}`) },
  {
    name: 'oEmbed address',
    largest: headerBytes,
    request: (size) => get(`/oembed?url=http://tintype.test/i/${filled('%20', size)}`),
  },
  header('Accept-Encoding, blanks', '/dashboard', 'Accept-Encoding', ' ', 'b'),
  header('Accept-Encoding, parts', '/dashboard', 'Accept-Encoding', ' , ;q=0'),
  header('Accept', '/f/nothing', 'Accept', ' , text/html ;'),
  header('Accept-Language', '/', 'Accept-Language', ', ;q=0.1'),
  header('Range', '/f/SLUG', 'Range', '1', '-x'),
  { ...header('Range, blanks', '/f/SLUG', 'Range', ' ', 'x'), request: rangeOfBlanks },
  header('If-None-Match', '/f/SLUG', 'If-None-Match', ' , W/"a"'),
  header('If-Match', '/f/SLUG', 'If-Match', ' , "a"'),
  header('Idempotency-Key', '/api/v1/upload', 'Idempotency-Key', 'a '),
  header('Access-Control-Request-Headers', '/api/v1/upload', 'Access-Control-Request-Headers', ', a'),
  header('Origin', '/api/v1/upload', 'Origin', 'a.'),
  header('Content-Type', '/api/v1/upload', 'Content-Type', '; a=b'),
  header('If-Modified-Since', '/f/SLUG', 'If-Modified-Since', ' 1'),
  header('Cookie, many', '/api/dashboard/session', 'Cookie', 'a=b; '),
  header('Cookie, blanks', '/api/dashboard/session', 'Cookie', ' ', '=; x'),
  header('Authorization', '/api/v1/upload', 'Authorization', ' '),
  { ...header('Authorization, blanks', '/api/v1/upload', '', ''), request: blankKey },
  header('X-Forwarded-For', '/api/nothing', 'X-Forwarded-For', ', 1.2.3.4'),
  header('Connection', '/healthz', 'Connection', ', b'),
  {
    name: 'many headers',
    largest: headerBytes,
    request: (size) => get('/healthz', filled('a: b\r\n', size - (size % 6))),
  },
  json('one long text', (size) => JSON.stringify({ url: `http://${'a'.repeat(size)}` })),
  json('an address of brackets', (size) => JSON.stringify({ url: `http://[${filled(':', size)}` })),
  json('an address of blanks', (size) => JSON.stringify({ url: `http://a/${filled(' %', size)}@` })),
  json('deep arrays', (size) => filled('[', size)),
  json('many fields', (size) => `{${Array.from({ length: size / 8 }, (_, at) => `"${at}":1`).join()}}`),
  json('one field again and again', (size) => `{${filled('"url":1,', size)}"url":1}`),
  json('blanks', (size) => `${filled(' ', size)}x`),
  form('a header of blanks', formType, (size) => partOf(`Content-Disposition:${filled(' ', size)}\u0001`)),
  form('many headers', formType, (size) => partOf(`A: b\r\n${filled('a: b\r\n', size - (size % 6))}A: b`)),
  form('many parameters', formType, (size) =>
    partOf(`Content-Disposition: form-data${filled('; a=b', size)}`),
  ),
  form('a quoted name of escapes', formType, (size) =>
    partOf(`Content-Disposition: form-data; name="${filled('\\"', size - (size % 2))}`),
  ),
  form('folded lines', formType, (size) =>
    partOf(`Content-Disposition: form-data${filled('\r\n ', size - (size % 3))}`),
  ),
  form('a boundary of blanks', `multipart/form-data; boundary=${'a'.repeat(150)}`, (size) =>
    filled(`\r\n--${'a'.repeat(149)}`, size),
  ),
];

function rangeOfBlanks(size: number): string {
  return get('/f/SLUG', `Range: bytes=${filled(' ', size)}x\r\n`);
}

function blankKey(size: number): string {
  return get('/api/v1/upload', `Authorization: Bearer ${filled(' ', size)}x y\r\n`);
}
