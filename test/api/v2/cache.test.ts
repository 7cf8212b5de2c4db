// max_age over HTTP: what a hit answers, costs and counts as, and when there is none. Spec 10.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Render } from '#api/v2/schemas.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { bearer } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';

let service: TestService;
let site: PageServer;
let key: string;
let accountId: string;
let email: string;

before(async () => {
  site = await startPageServer({ '/': '<!doctype html><title>Hello</title><p>Hello' });
  service = await startService({ EGRESS_ALLOW: site.host });
  ({ key, accountId, email } = await service.newKey());
});
after(async () => {
  await service.stop();
  await site.close();
});

async function render(
  fields: object,
  { as = key, headers = {} }: { as?: string; headers?: Record<string, string> } = {},
) {
  const response = await fetch(`${service.origin}/api/v2/renders`, {
    method: 'POST',
    headers: { ...bearer(as), 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ url: `${site.base}/`, ...fields }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  const body = (isJson ? JSON.parse(bytes.toString()) : undefined) as Render;
  return { status: response.status, headers: response.headers, bytes, body };
}
const visits = (): number => site.seen.filter((line) => line === 'GET /').length;
async function used(): Promise<number> {
  const response = await fetch(`${service.origin}/api/v2/usage`, { headers: bearer(key) });
  return ((await response.json()) as { render: { used: number } }).render.used;
}

test('10.5 a request with max_age is answered with an earlier result: the same bytes, its age, no unit', async () => {
  const before = { visits: visits(), used: await used() };
  const first = await render({ max_age: 3600 });
  assert.deepEqual([first.status, first.headers.get('x-service-cache')], [200, 'miss']);
  assert.equal(first.headers.get('age'), null);
  assert.ok(first.headers.has('x-service-quota-remaining'));
  await service.clock.advance(100_000);
  const again = await render({ max_age: 3600, full_page: false });
  assert.deepEqual([again.status, again.headers.get('x-service-cache')], [200, 'hit']);
  assert.ok(first.bytes.equals(again.bytes));
  assert.equal(again.headers.get('x-service-id'), first.headers.get('x-service-id'));
  assert.ok(Number(again.headers.get('age')) >= 100);
  assert.equal(again.headers.get('content-type'), 'image/png');
  assert.equal(again.headers.get('x-service-page-status'), '200');
  assert.ok(!again.headers.has('x-service-quota-remaining'), 'it took no unit');
  assert.deepEqual(
    { visits: visits() - before.visits, used: (await used()) - before.used },
    { visits: 1, used: 1 },
  );

  // As JSON it is hosted now, and says that it is an earlier result.
  const json = await render({ max_age: 3600, response: 'json', reference: 'second' });
  assert.deepEqual(
    [json.body.id, json.body.cached, json.body.units, json.body.state, json.body.reference],
    [first.headers.get('x-service-id'), true, 0, 'succeeded', 'second'],
  );
  assert.ok(Number(json.headers.get('age')) >= 100);
  const hosted = await fetch(service.origin + new URL(json.body.outputs[0]!.url!).pathname);
  assert.ok(first.bytes.equals(Buffer.from(await hosted.arrayBuffer())));

  const fresh = await render({});
  assert.equal(fresh.headers.get('x-service-cache'), 'miss', 'nobody asked for the cache');
  const young = await render({ max_age: 60 });
  assert.equal(young.headers.get('x-service-cache'), 'miss', 'it is too old');
});

test('10.5 a secret, a file or another account is another request', async () => {
  const asked = { max_age: 3600, headers: { 'x-token': 'one' } };
  const cacheOf = async (fields: object, as?: string) =>
    (await render(fields, as === undefined ? {} : { as })).headers.get('x-service-cache');
  assert.equal(await cacheOf(asked), 'miss');
  assert.equal(await cacheOf(asked), 'hit');
  assert.equal(await cacheOf({ ...asked, headers: { 'x-token': 'two' } }), 'miss');
  assert.equal(await cacheOf(asked, (await service.newKey()).key), 'miss');
  const rows = await service.database.connection.selectFrom('renders').select('cache_key').execute();
  assert.ok(rows.some(({ cache_key }) => cache_key !== null));
  for (const { cache_key } of rows) assert.match(cache_key ?? 'x'.repeat(43), /^[\w-]{43}$/);

  const form = async (content: string) => {
    const body = new FormData();
    body.append('request', JSON.stringify({ html: '<img src="a.svg">', max_age: 60 }));
    body.append('file', new Blob([content], { type: 'image/svg+xml' }), 'a.svg');
    const response = await fetch(`${service.origin}/api/v2/renders`, {
      method: 'POST',
      headers: bearer(key),
      body,
    });
    await response.arrayBuffer();
    return response.headers.get('x-service-cache');
  };
  const svg = (side: number) => `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="9"/>`;
  assert.deepEqual([await form(svg(1)), await form(svg(1)), await form(svg(2))], ['miss', 'hit', 'miss']);
});

test('10.5 the texts of extracts come with a hit, and with a repeat of it', async () => {
  const asked = { format: 'text', response: 'json', max_age: 600 };
  const first = await render(asked);
  const headers = { 'idempotency-key': 'a-hit' };
  const hit = await render(asked, { headers });
  const repeat = await render(asked, { headers });
  for (const { body } of [first, hit, repeat]) assert.equal(body.outputs[0]?.text?.trim(), 'Hello');
  assert.deepEqual([hit.body.cached, repeat.body.cached], [true, true]);
  assert.equal(repeat.headers.get('idempotent-replayed'), 'true');
  const queued = { headers: { 'idempotency-key': 'a-queued-hit' } };
  const later = [
    await render({ ...asked, async: true }, queued),
    await render({ ...asked, async: true }, queued),
  ];
  for (const { status, body } of later)
    assert.deepEqual([status, body.outputs[0]?.text?.trim()], [202, 'Hello']);
});

test('10.5 a repeat of a hit has its bytes, which are kept for a day', async () => {
  const asked = { format: 'jpeg', max_age: 600 };
  const first = await render(asked);
  const headers = { 'idempotency-key': 'bytes-of-a-hit' };
  const hit = await render(asked, { headers });
  const repeat = await render(asked, { headers });
  assert.equal(hit.headers.get('x-service-cache'), 'hit');
  assert.equal(repeat.headers.get('idempotent-replayed'), 'true');
  assert.ok(first.bytes.equals(hit.bytes) && first.bytes.equals(repeat.bytes));
  const row = await service.database.connection
    .selectFrom('renders')
    .select('expires_at')
    .where('id', '=', hit.headers.get('x-service-id'))
    .executeTakeFirstOrThrow();
  assert.ok(row.expires_at! > service.clock.now() + 23 * 3_600_000);
});

test('10.5 what is deleted or expired is not served, and a suspended account gets nothing', async () => {
  const asked = { max_age: 3600, format: 'webp' };
  const first = await render(asked);
  const id = first.headers.get('x-service-id') ?? '';
  await fetch(`${service.origin}/api/v2/renders/${id}`, { method: 'DELETE', headers: bearer(key) });
  assert.equal((await render(asked)).headers.get('x-service-cache'), 'miss');
  const brief = {
    max_age: 3600,
    format: 'text',
    selector: 'p',
    response: 'json',
    expires_in: 60,
    reference: 'brief',
  };
  assert.equal((await render(brief)).body.cached, false);
  assert.equal((await render(brief)).body.cached, true);
  await service.clock.advance(61_000);
  assert.equal((await render(brief)).body.cached, false);
  await service.accounts.update(email, { suspended: true });
  assert.equal((await render(asked)).status, 401);
  await service.accounts.update(email, { suspended: false });
  assert.equal((await render(asked)).headers.get('x-service-cache'), 'hit');
  const [row] = await service.database.connection
    .selectFrom('renders')
    .select('options')
    .where('account_id', '=', accountId)
    .where('reference', '=', 'brief')
    .execute();
  assert.ok(!row!.options.includes('max_age'));
});
