// Paths, methods, keys and headers under /api/, including delete links. The expected response is decided here, by a second
// implementation of spec 4 and 5.
import { METHODS } from 'node:http';
import { newApiKey } from '#core/ids.ts';
import {
  addressOf,
  bearer,
  expectStatus,
  whole,
  words,
  type FuzzCase,
  type Generator,
  type World,
} from '#lab/prove/fuzz/case.ts';
import type { Random } from '#lab/prove/fuzz/random.ts';

export const endpoints = ['/api/v1/upload', '/api/v1/upload/batch', '/api/v1/screenshot', '/api/v1/pdf'];
const oddSegments = [
  ...words('. .. v1 v2 upload batch %2e%2e %00 %zz %E0%A4%A constructor __proto__ * :id ;x uploads delete'),
  ...words('%F0%9F%93%B7 ~ % + %2F'),
  '',
  'a'.repeat(2_000),
];
export const queries = [
  ...words('? ?x ?a=1&a=2 ?token ?token= ?token=x&token=y ?%zz ?__proto__[x]=1 ?download=1 ??'),
  '',
  '',
  '',
  `?${'q'.repeat(3_000)}`,
];
const knownMethods = METHODS.filter((name) => name !== 'CONNECT');
export const accepts = [
  ...words('*/* text/html application/json TEXT/HTML;q=0.1 image/* ,,,'),
  '',
  'text/html\tx',
];
const keysOfIdempotency = ['a', 'x'.repeat(255), 'x'.repeat(256), '', 'with space', '\x80', '"quoted"', '\t'];

export const routes: Generator = (random, world) =>
  random.pick([apiPath, apiPath, endpointWithoutKey, emptyBody, deleteLink])(random, world);

/** A request without a body. */
export function simple(
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
  return simple(random, method, path + random.pick(queries), [bearer(world.keys.open)], (answer) => {
    if (isDelete) return expectStatus(answer, 404, 405, 429);
    if (!isEndpoint) return expectStatus(answer, 404);
    return method === 'POST' ? expectStatus(answer, 422) : expectStatus(answer, 405);
  });
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

/** A key, and nothing that an endpoint could accept. */
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
