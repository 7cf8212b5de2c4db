// Paths, methods and headers under /api/, on delete links and on hosted things, and bytes that are hardly HTTP. What a
// request that can be read must answer is decided here, by a second reading of spec 4, 5 and RFC 9110.
import { METHODS } from 'node:http';
import { newApiKey } from '#core/ids.ts';
import {
  addressOf,
  bearer,
  expectStatus,
  headOf,
  whole,
  type FuzzCase,
  type Generator,
  type World,
} from '#prove/fuzz/case.ts';
import type { Random } from '#prove/fuzz/random.ts';

const endpoints = ['/api/v1/upload', '/api/v1/upload/batch', '/api/v1/screenshot', '/api/v1/pdf'];
const oddSegments = [
  '',
  '.',
  '..',
  'v1',
  'v2',
  'upload',
  'batch',
  '%2e%2e',
  '%00',
  '%zz',
  '%E0%A4%A',
  'constructor',
  '__proto__',
  '*',
  ':id',
  ';x',
  'uploads',
  'delete',
  'a'.repeat(2_000),
  '%F0%9F%93%B7',
  '~',
  '%',
  '+',
  '%2F',
];
const queries = [
  '',
  '',
  '?',
  '?x',
  '?a=1&a=2',
  '?token',
  '?token=',
  '?token=x&token=y',
  '?%zz',
  '?__proto__[x]=1',
  `?${'q'.repeat(3_000)}`,
  '?download=1',
  '??',
  '#x',
];
const knownMethods = METHODS.filter((name) => name !== 'CONNECT');
const accepts = [
  '*/*',
  'text/html',
  'application/json',
  'TEXT/HTML;q=0.1',
  '',
  'image/*',
  ',,,',
  'text/html\tx',
];
const keysOfIdempotency = ['a', 'x'.repeat(255), 'x'.repeat(256), '', 'with space', '\x80', '"quoted"', '\t'];

export const routes: Generator = (random, world) =>
  random.pick([
    apiPath,
    apiPath,
    endpointWithoutKey,
    emptyBody,
    deleteLink,
    hostedThing,
    hostedThing,
    hostedThing,
    hardlyHttp,
  ])(random, world);

function simple(
  random: Random,
  method: string,
  path: string,
  headers: [string, string][],
  judge: FuzzCase['judge'],
): FuzzCase {
  return {
    asked: { method, path },
    sent: whole(random, { method, path, headers: [addressOf(random), ...headers] }),
    judge,
  };
}

function apiPath(random: Random, world: World): FuzzCase {
  const segments = Array.from({ length: random.between(1, 4) }, () => random.pick(oddSegments));
  const path = random.percent(60) ? `/api/${segments.join('/')}` : random.pick(endpoints);
  const method = random.pick([...knownMethods, 'GET', 'PUT', 'DELETE', 'FROBNICATE']);
  const isEndpoint = endpoints.includes(path);
  const isDelete = /^\/api\/uploads\/[^/]*\/delete$/.test(path);
  // The dashboard's own routes, better-auth's among them, have methods and checks of their own.
  return simple(
    random,
    method,
    path + random.pick(queries).replace('#x', ''),
    [bearer(world.keys.open)],
    (answer) => {
      if (isDelete) return expectStatus(answer, 404, 405, 429);
      if (!isEndpoint) return expectStatus(answer, 404);
      return method === 'POST' ? expectStatus(answer, 422) : expectStatus(answer, 405);
    },
  );
}

function endpointWithoutKey(random: Random, world: World): FuzzCase {
  const keys = [
    '',
    'Bearer',
    'Bearer ',
    `Bearer ${newApiKey()}`,
    `Basic ${world.keys.open}`,
    world.keys.open,
    `Bearer ${world.keys.open.slice(0, -1)}`,
    `Bearer ${world.keys.open}x`,
    `Bearer ${world.keys.open}, Bearer x`,
    `Bearer ${'\xe9'.repeat(9)}`,
    `Bearer ${'k'.repeat(4_000)}`,
    `Bearer\t\t${world.keys.open.toLowerCase()}`,
  ];
  return simple(random, 'POST', random.pick(endpoints), [['Authorization', random.pick(keys)]], (answer) =>
    expectStatus(answer, 401),
  );
}

/** A key, and nothing that an endpoint could take. */
function emptyBody(random: Random, world: World): FuzzCase {
  const headers: [string, string][] = [
    bearer(world.keys.open),
    ['Idempotency-Key', random.pick(keysOfIdempotency)],
  ];
  if (random.percent(50))
    headers.push([
      'Content-Type',
      random.pick([
        'application/json',
        'multipart/form-data; boundary=x',
        'x',
        '/',
        'application/json; charset=',
      ]),
    ]);
  if (random.percent(10)) headers.push(['Expect', '100-continue']);
  if (random.percent(10)) headers.push(['Accept-Encoding', 'gzip;q=9'], ['Origin', 'null']);
  return simple(random, 'POST', random.pick(endpoints), headers, (answer) => expectStatus(answer, 422));
}

function deleteLink(random: Random, world: World): FuzzCase {
  const { id, deletePath } = world.hosted;
  const right = deletePath.split('token=')[1] ?? '';
  const token = random.pick([
    right.slice(1),
    `${right}x`,
    '',
    right.toUpperCase(),
    `${right}&token=x`,
    '%00',
    'x'.repeat(2_000),
  ]);
  const path = `/api/uploads/${random.pick([id, 'x', `${id}x`, '%00'])}/delete?token=${token}`;
  const method = random.pick(['GET', 'HEAD', 'POST', 'DELETE', 'PUT']);
  const accept: [string, string] = ['Accept', random.pick(accepts)];
  return simple(random, method, path, [accept], (answer) =>
    expectStatus(answer, method === 'PUT' ? 405 : 404),
  );
}

function hostedThing(random: Random, world: World): FuzzCase {
  const { slug, bytes, etag } = world.hosted;
  const kind = random.pick(['f', 'f', 'f', 'i', 's', 'p']);
  const names = [
    slug,
    slug,
    slug,
    slug,
    `${slug}.png`,
    `${slug}.exe`,
    `${slug}.`,
    slug.slice(1),
    `${slug}%00`,
    '..',
    '%2e%2e',
    '%zz',
    'a'.repeat(500),
    slug.toLowerCase(),
  ];
  const name = random.pick(names);
  const method = random.pick(['GET', 'GET', 'GET', 'HEAD', 'POST', 'PATCH']);
  const size = bytes.length;
  const numbers = [0, 1, 5, size - 1, size, size + 1, 10 ** 15, '99999999999999999999'];
  const range = random.pick([
    `bytes=${random.pick(numbers)}-${random.pick(numbers)}`,
    `bytes=${random.pick(numbers)}-`,
    `bytes=-${random.pick(numbers)}`,
    'bytes=-',
    'bytes=0-1,3-4',
    'items=0-1',
    'bytes 0-1',
    'bytes=a-b',
    'bytes=1-0',
    'BYTES=0-0',
  ]);
  const tag = random.pick([etag, `W/${etag}`, '*', '"other"', `"other", ${etag}`, etag.slice(1), '', ',']);
  const headers: [string, string][] = [['Accept', random.pick(accepts)]];
  const asksRange = random.percent(50);
  const asksTag = random.percent(30);
  if (asksRange) headers.push(['Range', range]);
  if (asksTag) headers.push(['If-None-Match', tag]);
  if (random.percent(5)) headers.push(['If-Modified-Since', 'nonsense'], ['If-Range', etag]);
  const isFile = kind === 'f' && (name === slug || name === `${slug}.png`);
  const isThere = isFile || (kind === 'i' && name === slug);
  return simple(
    random,
    method,
    `/${kind}/${name}${random.pick(queries).replace('#x', '')}`,
    headers,
    (answer) => {
      if (/^(\.\.|%2e%2e|a+)$/.test(name)) return expectStatus(answer, 404, 405);
      if (name === '%zz') return expectStatus(answer, 404);
      if (method === 'POST' || method === 'PATCH') return expectStatus(answer, 405);
      if (!isThere) return expectStatus(answer, 404);
      if (!isFile) return expectStatus(answer, 200);
      const isSame = asksTag && (tag === '*' || tag.includes(etag));
      if (isSame) return expectStatus(answer, 304);
      const wanted = asksRange && method === 'GET' ? rangeOf(range, size) : undefined;
      if (wanted === 'none') return expectStatus(answer, 416);
      const wrong = expectStatus(answer, wanted ? 206 : 200);
      if (wrong !== undefined || method === 'HEAD') return wrong;
      return answer.body.equals(wanted ? bytes.subarray(wanted[0], wanted[1] + 1) : bytes)
        ? undefined
        : `other bytes for ${range}`;
    },
  );
}

/** RFC 9110 14.1.1 to 14.2, for one range. */
function rangeOf(text: string, size: number): [first: number, last: number] | 'none' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/i.exec(text) ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') return Number(last) === 0 ? 'none' : [Math.max(0, size - Number(last)), size - 1];
  if (last !== '' && Number(last) < Number(first)) return undefined;
  return Number(first) >= size
    ? 'none'
    : [Number(first), last === '' ? size - 1 : Math.min(Number(last), size - 1)];
}

/** A request whose bytes were changed here and there, or noise. */
function hardlyHttp(random: Random, world: World): FuzzCase {
  const path = random.pick([...endpoints, `/f/${world.hosted.slug}`, '/']);
  const headers: [string, string][] = [addressOf(random), bearer(world.keys.open)];
  const extra: [string, string][][] = [
    [['Content-Length', random.pick(['x', '-1', '1e3', '99999999999999999999', '0x10', '+4', ''])]],
    [
      ['Content-Length', '4'],
      ['Content-Length', '5'],
    ],
    [
      ['Content-Length', '4'],
      ['Transfer-Encoding', 'chunked'],
    ],
    [['Transfer-Encoding', random.pick(['gzip', 'chunked, chunked', 'chunked, identity', 'xchunked'])]],
    [['X-Big', 'x'.repeat(random.pick([1_000, 17_000, 70_000]))]],
    [['Expect', 'the-unexpected']],
    [['Bad Name', 'x']],
    [['X', 'a\0b']],
    [
      ['Upgrade', 'websocket'],
      ['Connection', 'Upgrade'],
    ],
    Array.from({ length: 2_100 }, (_, index) => [`X-${index}`, 'y'] as [string, string]),
  ];
  const method = random.pick(['GET', 'POST', 'POST', 'get', 'P OST', '', 'PRI', 'CONNECT']);
  const base = headOf(method, path, [...headers, ...random.pick(extra)]);
  const bytes = random.pick([
    () => base,
    () =>
      Buffer.concat([base, Buffer.from(random.pick(['zz\r\n', '5\r\nab', '0\r\n\r\n', 'abcd', '\r\n\r\n']))]),
    () => random.bytes(random.between(1, 200)),
    () =>
      Buffer.from(
        base
          .toString('latin1')
          .replace('HTTP/1.1', random.pick(['HTTP/1.0', 'HTTP/2.0', 'HTTP/9', 'http/1.1', ''])),
        'latin1',
      ),
    () =>
      Buffer.from(base.toString('latin1').replaceAll('\r\n', random.pick(['\n', '\r', '\r\n '])), 'latin1'),
    () =>
      Buffer.from(
        base
          .toString('latin1')
          .replace(/Host: [^\r]*\r\n/, random.pick(['', 'Host: \r\n', 'Host: a\r\nHost: b\r\n'])),
        'latin1',
      ),
    () => base.subarray(0, random.below(base.length)),
  ])();
  return {
    asked: { method: 'GET', path: '/', isUnreadable: true },
    sent: { method, pieces: [bytes], isCut: true },
    mayBeClosed: true,
    judge: (answer) => expectStatus(answer, 200, 304, 400, 401, 404, 405, 408, 413, 415, 422, 426, 431),
  };
}
