// What an API key can read about its own account: /api/account/uploads, /renders and /usage.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Static } from 'typebox';
import { Value } from 'typebox/value';
import { AccountRenders, AccountUploads, AccountUsage } from '#api/account/schemas.ts';
import { png } from '#test/support/images.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { bearer, formOf, post, type Answer, type ErrorBody } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';

const paths = ['uploads', 'renders', 'usage'] as const;
const schemas = { uploads: AccountUploads, renders: AccountRenders, usage: AccountUsage };

let service: TestService;
let site: PageServer;
let mine: Awaited<ReturnType<TestService['newKey']>>;

before(async () => {
  site = await startPageServer({ '/': '<!doctype html><h1>Hello</h1>' });
  service = await startService({ EGRESS_ALLOW: site.host });
  mine = await service.newKey({ plan: 'starter' });
  for (const name of ['a.png', 'b.png', 'c.png'])
    await post(`${service.origin}/api/v1/upload`, {
      headers: bearer(mine.key),
      body: formOf([[await png(), name]]),
    });
  await post(`${service.origin}/api/v1/screenshot`, {
    headers: { ...bearer(mine.key), 'content-type': 'application/json' },
    body: JSON.stringify({ url: site.base, response: 'json' }),
  });
});
after(async () => {
  await service.stop();
  await site.close();
});

const read = <T = ErrorBody>(path: string, key: string, init: RequestInit = {}): Promise<Answer<T>> =>
  post<T>(`${service.origin}/api/account/${path}`, { method: 'GET', headers: bearer(key), ...init });

test('each response matches its schema, has the rate limit, costs no unit, and is not cacheable', async () => {
  const before = await read<Static<typeof AccountUsage>>('usage', mine.key);
  for (const path of paths) {
    const { status, headers, body } = await read<unknown>(path, mine.key);
    assert.equal(status, 200);
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.get('x-service-ratelimit-limit'), '120');
    assert.deepEqual([...Value.Errors(schemas[path], body)], [], path);
  }
  const after = await read<Static<typeof AccountUsage>>('usage', mine.key);
  assert.deepEqual(after.body.units, before.body.units);
  assert.equal(before.body.requests.remaining - after.body.requests.remaining, 4);
});

test('uploads and renders come newest first, in pages', async () => {
  const { body } = await read<Static<typeof AccountUploads>>('uploads?limit=2', mine.key);
  assert.deepEqual(
    body.items.map(({ filename }) => filename),
    ['c.png', 'b.png'],
  );
  const rest = await read<Static<typeof AccountUploads>>(
    `uploads?limit=2&cursor=${body.next_cursor ?? ''}`,
    mine.key,
  );
  assert.deepEqual(
    [rest.body.items.map(({ filename }) => filename), rest.body.next_cursor],
    [['a.png'], null],
  );
  const found = await read<Static<typeof AccountUploads>>('uploads?search=B.P', mine.key);
  assert.equal(found.body.items.length, 1);
  const renders = await read<Static<typeof AccountRenders>>('renders?kind=screenshot', mine.key);
  assert.match(renders.body.items[0]?.url ?? '', /^http:\/\/tintype\.test\/s\//);
});

test('10.9 usage shows the plan, the month, the budget and the key used', async () => {
  const { body } = await read<Static<typeof AccountUsage>>('usage', mine.key);
  assert.deepEqual(
    [body.plan.id, body.units.upload.used, body.units.render.used, body.units.render.remaining],
    ['starter', 3, 1, 1999],
  );
  assert.deepEqual(body.key, { id: mine.keyId, name: 'test', scope: 'all', expires_at: null });
});

test('another account sees nothing of it', async () => {
  const { key } = await service.newKey();
  for (const path of ['uploads', 'renders']) {
    const { body } = await read<{ items: unknown[] }>(path, key);
    assert.deepEqual(body.items, []);
  }
});

test('a limited key reads only its own kind, and every key reads usage', async () => {
  for (const scope of ['uploads', 'renders'] as const) {
    const { key } = await service.accounts.createKey(mine.email, scope, { scope });
    const statuses = await Promise.all(paths.map(async (path) => (await read(path, key)).status));
    assert.deepEqual(statuses, scope === 'uploads' ? [200, 401, 200] : [401, 200, 200]);
  }
});

test('errors have the envelope and the headers of the API', async () => {
  const refused = await read('usage', 'tt_wrong');
  assert.deepEqual([refused.status, refused.body.error.code], [401, 'unauthorized']);
  assert.match(refused.headers.get('www-authenticate') ?? '', /^Bearer /);
  const mistakes: [query: string, field: string][] = [
    ['limit=201', 'limit'],
    ['limit=x', 'limit'],
    ['cursor=%00', 'cursor'],
    ['colour=red', 'colour'],
  ];
  for (const [query, field] of mistakes) {
    const { status, body } = await read(`uploads?${query}`, mine.key);
    assert.deepEqual([status, body.error.code], [422, 'validation_error'], query);
    assert.match(body.error.message, new RegExp(`^${field}: `));
  }
  const posted = await read('usage', mine.key, { method: 'POST' });
  assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD']);
  assert.equal((await read('nothing', mine.key)).status, 404);
});

test('it spends the request budget of the account', async () => {
  const { key } = await service.newKey({ plan: 'free' });
  service.clock.hold();
  for (let count = 0; count < 30; count += 1) assert.equal((await read('usage', key)).status, 200);
  const { status, headers } = await read('usage', key);
  assert.equal(status, 429);
  assert.ok(Number(headers.get('retry-after')) > 0);
});

test('the reference shows these endpoints, and what takes their place', async () => {
  const page = await (await fetch(`${service.origin}/docs`)).text();
  for (const path of paths) {
    assert.ok(page.includes(`id="account-${path}"`), path);
    assert.ok(page.includes(`use GET /api/v2/${path}.`), path);
  }
});
