// The kinds of requests: what each route of the API is in the request log, in the sums by day, and in the metrics; and rows of before.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RequestDayRow, RequestKind, TookColumn } from '#storage/schema.ts';
import { tookColumns } from '#storage/tables/request-days.ts';
import { dayOf } from '#storage/tables/usage.ts';
import { buildOpenapi } from '#site/openapi/document.ts';
import { png } from '#test/support/images.ts';
import { bearer, formOf } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { signedInVisitor } from '#test/support/visitor.ts';

let service: TestService;
before(async () => {
  service = await startService();
});
after(() => service.stop());

async function start() {
  const visitor = await signedInVisitor(service);
  const { secret } = (await visitor.call('POST /keys', { body: { name: 'kinds' } })).body;
  const send = async (method: string, path: string, body?: object): Promise<Response> => {
    const isForm = body instanceof FormData;
    // So that two lines of the log, which is in the order of time, never have the same one.
    await service.clock.advance(1);
    const response = await fetch(service.origin + path, {
      method,
      headers: { ...bearer(secret), ...(body && !isForm && { 'content-type': 'application/json' }) },
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
    });
    await response.clone().arrayBuffer();
    return response;
  };
  const log = async () => (await visitor.call('GET /requests')).body.items.toReversed();
  return { visitor, send, log };
}

test('a request has the kind of its route, links to what it made, and is summed under its kind', async () => {
  const { visitor, send, log } = await start();
  const stored = await send('POST', '/api/v2/uploads', formOf([[await png(), 'a.png']]));
  const { id } = (await stored.json()) as { id: string };
  await send('GET', '/api/v2/uploads');
  await send('PATCH', `/api/v2/uploads/${id}`, { title: 'A' });
  await send('GET', `/api/v2/uploads/${id}`);
  const bytes = await send('POST', '/api/v2/renders', { html: '<p>now' });
  const queued = await send('POST', '/api/v2/renders', { html: '<p>later', async: true });
  const { id: queuedId } = (await queued.json()) as { id: string };
  await send('GET', `/api/v2/renders/${queuedId}?wait=1`);
  await send('POST', '/api/v2/renders', { html: '<p>never', async: true, webhook_url: 'http://no' });
  await send('GET', '/api/v2/usage');
  await send('POST', '/api/v1/upload', formOf([[Buffer.from('no picture'), 'a.png']]));
  const items = await log();
  assert.deepEqual(
    items.flatMap(({ field }) => field ?? []),
    ['webhook_url', 'file'],
    'a refusal names its field',
  );
  assert.deepEqual(
    items.map(({ kind, status, made }) => [kind, status, made.map((thing) => [thing.kind, thing.id])]),
    [
      ['upload', 201, [['upload', id]]],
      ['read', 200, []],
      ['change', 200, []],
      ['read', 200, []],
      ['render', 200, [['render', bytes.headers.get('x-service-id')]]],
      ['queued', 202, [['render', queuedId]]],
      ['read', 200, []],
      ['queued', 422, []],
      ['read', 200, []],
      ['upload', 415, []],
    ],
  );
  const { requests } = (await visitor.call('GET /usage')).body;
  assert.deepEqual(
    requests.map(({ kind, succeeded, refused }) => `${kind} ${succeeded} ${refused}`).toSorted(),
    ['change 1 0', 'queued 1 1', 'read 4 0', 'render 1 0', 'upload 1 1'],
  );
  const metrics = await (await fetch(`${service.origin}/metrics`)).text();
  for (const [route, kind, method] of [
    ['/api/v2/uploads', 'upload', 'POST'],
    ['/api/v2/uploads', 'read', 'GET'],
    ['/api/v2/uploads/:id', 'change', 'PATCH'],
    ['/api/v2/renders', 'render', 'POST'],
    ['/api/v2/renders', 'queued', 'POST'],
  ])
    assert.ok(
      metrics.includes(`tintype_http_requests_total{route="${route}",kind="${kind}",method="${method}"`),
      `${method} ${route} is ${kind}`,
    );
});

test('every operation of both documents is in the log, with its kind', async () => {
  const { send, log } = await start();
  const posts: Record<string, RequestKind> = {
    '/api/v1/upload': 'upload',
    '/api/v1/upload/batch': 'upload',
    '/api/v1/screenshot': 'render',
    '/api/v1/pdf': 'render',
    '/api/v2/uploads': 'upload',
    '/api/v2/renders': 'render',
    '/api/v2/links': 'read',
  };
  const documents = [buildOpenapi(''), buildOpenapi('', 2)] as { paths: Record<string, object> }[];
  const expected: string[] = [];
  for (const { paths } of documents)
    for (const [path, operations] of Object.entries(paths)) {
      if (!/^\/api\/v[12]\//.test(path)) continue;
      const methods = Object.keys(operations).filter((name) => /^(get|post|patch|delete)$/.test(name));
      for (const method of methods) {
        await send(method.toUpperCase(), path.replace('{id}', 'nothing'), method === 'get' ? undefined : {});
        const kind = method === 'get' ? 'read' : method === 'post' ? (posts[path] ?? 'change') : 'change';
        expected.push(`${path.replace('{id}', ':id')} ${kind}`);
      }
    }
  assert.ok(expected.length > 20);
  assert.deepEqual(
    (await log()).map(({ path, kind }) => `${path} ${kind}`),
    expected,
  );
});

test('rows of before have the kind that their path tells', async () => {
  const { visitor, log } = await start();
  const { accountId } = visitor;
  const now = service.clock.now();
  const rows: [path: string, status: number, made: string | null, kind: RequestKind][] = [
    ['/api/v1/upload', 201, 'a', 'upload'],
    ['/api/v1/upload/batch', 207, 'a,b', 'upload'],
    ['/api/v1/screenshot', 200, 'a', 'render'],
    ['/api/v1/pdf', 502, null, 'render'],
    ['/api/v2/uploads', 201, 'a', 'upload'],
    ['/api/v2/uploads', 200, null, 'read'],
    ['/api/v2/uploads', 415, null, 'upload'],
    ['/api/v2/uploads/:id', 200, null, 'read'],
    ['/api/v2/renders', 200, 'a', 'render'],
    ['/api/v2/renders', 202, 'a', 'queued'],
    ['/api/v2/renders', 200, null, 'read'],
    ['/api/v2/renders', 422, null, 'render'],
    ['/api/v2/renders/:id', 200, null, 'read'],
    ['/api/v2/usage', 200, null, 'read'],
    ['/api/v2/albums', 200, null, 'read'],
  ];
  const { tables } = service.database;
  await tables.requestLog.insert(
    rows.map(([path, status, made], index) => ({
      id: `before-${index}`,
      account_id: accountId,
      key_id: null,
      path,
      kind: null,
      status,
      code: null,
      reason: null,
      field: null,
      duration_ms: 5,
      created_at: now - 1_000 + index,
      phases: null,
      made,
    })),
  );
  assert.deepEqual(
    (await log()).map(({ kind }) => kind),
    rows.map(([, , , kind]) => kind),
  );

  const none = Object.fromEntries(tookColumns.map((column) => [column, 0])) as Record<TookColumn, number>;
  const sum = (path: string, took: TookColumn, count: number): RequestDayRow => ({
    ...none,
    account_id: accountId,
    day: dayOf(now),
    key_id: '',
    path,
    refused: 0,
    failed: 0,
    [took]: count,
  });
  await tables.requestDays.add([
    sum('/api/v1/pdf', 'took_5', 2),
    sum('/api/v1/upload', 'took_1', 3),
    sum('/api/v2/usage', 'took_0', 60),
    sum('render', 'took_5', 1),
  ]);
  const { requests } = (await visitor.call('GET /usage')).body;
  assert.deepEqual(requests.map(({ kind, succeeded }) => `${kind} ${succeeded}`).toSorted(), [
    'read 60',
    'render 3',
    'upload 3',
  ]);
  const renders = requests.find(({ kind }) => kind === 'render');
  assert.ok((renders?.p50_ms ?? 0) > 200, 'reading does not make renders faster');
});
