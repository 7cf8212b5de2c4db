// API keys, usage and overages, the request log and the integrations.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { makeKey } from '#accounts/accounts.ts';
import { succeededOf } from '#metering/request-days.ts';
import { createRequestLog } from '#metering/request-log.ts';
import { pino } from 'pino';
import { dayOf } from '#storage/tables/usage.ts';
import type { BodyOf } from '#console/contract.ts';
import { loggedPaths } from '#api/contract.ts';
import type { Key } from '#console/views.ts';
import { buildOpenapi } from '#site/openapi/document.ts';
import { png } from '#test/support/images.ts';
import { bearer, formOf, post } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { signedInVisitor, type Visitor } from '#test/support/visitor.ts';

let service: TestService;
let image: Buffer;
let folder: string;
before(async () => {
  image = await png();
  folder = await mkdtemp(join(tmpdir(), 'tintype-keys-'));
  const plans = [
    {
      id: 'tiny',
      name: 'Tiny',
      uploads_per_month: 2,
      renders_per_month: 1,
      requests_per_minute: 1_000,
      concurrent_renders: 1,
      overages: true,
      paid: true,
      max_link_seconds: null,
    },
  ];
  await writeFile(join(folder, 'plans.json'), JSON.stringify({ plans }));
  service = await startService({ PLANS_FILE: join(folder, 'plans.json'), TRUST_PROXY: 'true' });
});
after(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

const useKey = async (key: string, headers: Record<string, string> = {}): Promise<number> =>
  (
    await post(`${service.origin}/api/v1/upload`, {
      headers: { ...bearer(key), ...headers },
      body: formOf([[image, 'a.png']]),
    })
  ).status;
const createKey = async (visitor: Visitor, name = 'a key') =>
  (await visitor.call('POST /keys', { body: { name } })).body;

test('5.2 a key is shown once, named, counted and revoked at once', async () => {
  const visitor = await signedInVisitor(service);
  const { secret, key } = await createKey(visitor);
  assert.equal(await useKey(secret), 201);
  await visitor.call('PATCH /keys/:id', { id: key.id, body: { name: 'renamed' } });
  const { body } = await visitor.call('GET /keys');
  const [listed] = body.items;
  assert.deepEqual(
    [listed?.name, listed?.state, listed?.uses],
    ['renamed', 'active', { upload: 1, render: 0 }],
  );
  assert.notEqual(listed?.last_used_at, null);
  assert.equal(JSON.stringify(body).includes(secret), false);
  assert.equal((await visitor.call('POST /keys/:id/revoke', { id: key.id })).body.state, 'revoked');
  assert.equal(await useKey(secret), 401);
});

test('a key has a quota of its own, which can be changed and removed, and which a rotated key keeps', async () => {
  const visitor = await signedInVisitor(service);
  const { secret, key } = (await visitor.call('POST /keys', { body: { name: 'ci', uploads_per_month: 1 } }))
    .body;
  assert.deepEqual([key.uploads_per_month, key.renders_per_month], [1, null]);
  assert.deepEqual([await useKey(secret), await useKey(secret)], [201, 402]);
  const change = async (body: BodyOf<'PATCH /keys/:id'>) =>
    (await visitor.call('PATCH /keys/:id', { id: key.id, body })).body;
  const changed = await change({ name: 'ci', uploads_per_month: 2 });
  assert.deepEqual([changed.uploads_per_month, changed.month], [2, { upload: 1, render: 0 }]);
  assert.deepEqual([await useKey(secret), await useKey(secret)], [201, 402], 'with the next request');
  assert.equal((await change({ name: 'renamed' })).uploads_per_month, 2);
  const rotated = (
    await visitor.call('POST /keys/:id/rotate', { id: key.id, body: { grace_seconds: 3_600 } })
  ).body;
  assert.deepEqual(
    [rotated.key.uploads_per_month, rotated.key.month],
    [2, { upload: 0, render: 0 }],
    'counted anew',
  );
  assert.equal((await change({ name: 'renamed', uploads_per_month: null })).uploads_per_month, null);
  assert.equal(await useKey(secret), 201);
  const wrong = await visitor.call('PATCH /keys/:id', {
    id: key.id,
    body: { name: 'ci', renders_per_month: -1 },
  });
  assert.equal(wrong.status, 422);
  assert.match(
    (wrong.body as unknown as { error: { message: string } }).error.message,
    /^renders_per_month: /,
  );
});

test('a key shows the last five addresses that it was used from, each with its time', async () => {
  const visitor = await signedInVisitor(service);
  const { secret, key } = await createKey(visitor);
  const times = new Map<string, number>();
  const useFrom = async (address: string, shownAs = address) => {
    await service.clock.advance(1_000);
    times.set(shownAs, service.clock.now());
    return useKey(secret, { 'x-forwarded-for': address });
  };
  const shown = async () => {
    const { addresses } = (await visitor.call('GET /keys')).body.items.find(({ id }) => id === key.id)!;
    for (const [index, { address, last_used_at }] of addresses.entries()) {
      const at = Date.parse(last_used_at);
      assert.ok(at >= times.get(address)!, `${address} at ${last_used_at}`);
      assert.ok(index === 0 || at < Date.parse(addresses[index - 1]!.last_used_at));
    }
    return addresses.map(({ address }) => address);
  };
  assert.deepEqual(await shown(), []);
  await useFrom('198.51.100.1');
  await useFrom('198.51.100.2');
  assert.deepEqual(await shown(), ['198.51.100.2', '198.51.100.1']);
  await useFrom('198.51.100.1');
  // A customer has many addresses of one /64.
  await useFrom('2001:db8:0:1::5', '2001:db8:0:1::/64');
  await useFrom('2001:db8:0:1:ffff::9', '2001:db8:0:1::/64');
  await useFrom('198.51.100.3:4711', '198.51.100.3');
  await useFrom('::ffff:198.51.100.3', '198.51.100.3');
  await useFrom('fd00::7');
  await useFrom('not an address', 'unknown');
  const five = ['unknown', 'fd00::7', '198.51.100.3', '2001:db8:0:1::/64', '198.51.100.1'];
  assert.deepEqual(await shown(), five);

  await visitor.call('POST /keys/:id/revoke', { id: key.id });
  assert.equal(await useFrom('198.51.100.4'), 401);
  assert.deepEqual(await shown(), five, 'a refused key was not used');
});

test('a rotated key works until its grace period ends, also when it is in memory', async () => {
  const visitor = await signedInVisitor(service);
  const old = await createKey(visitor);
  assert.equal(await useKey(old.secret), 201);
  const rotated = await visitor.call('POST /keys/:id/rotate', {
    id: old.key.id,
    body: { grace_seconds: 3_600 },
  });
  assert.equal(rotated.status, 201);
  assert.deepEqual([await useKey(old.secret), await useKey(rotated.body.secret)], [201, 201]);
  const { body } = await visitor.call('GET /keys');
  assert.equal(body.items.find(({ id }) => id === old.key.id)?.state, 'ending');
  await service.clock.advance(3_590_000);
  assert.equal(await useKey(old.secret), 201);
  await service.clock.advance(11_000);
  assert.deepEqual([await useKey(old.secret), await useKey(rotated.body.secret)], [401, 201]);

  const second = await createKey(visitor);
  await visitor.call('POST /keys/:id/rotate', { id: second.key.id, body: { grace_seconds: 604_800 } });
  await visitor.call('POST /keys/:id/revoke', { id: second.key.id });
  assert.equal(await useKey(second.secret), 401, 'revoking ends the grace at once');
  const again = await visitor.call('POST /keys/:id/rotate', {
    id: second.key.id,
    body: { grace_seconds: 0 },
  });
  assert.equal(again.status, 422);
});

test('an account keeps its newest 500 keys, an older one only while it works, and 25 in their grace period', async () => {
  const visitor = await signedInVisitor(service);
  const working = await createKey(visitor, 'works');
  const revoked = await createKey(visitor, 'revoked');
  await visitor.call('POST /keys/:id/revoke', { id: revoked.key.id });
  const now = service.clock.now() + 1_000;
  await service.database.transaction(async ({ apiKeys }) => {
    for (let index = 0; index < 498; index += 1) {
      const { row } = makeKey(visitor.accountId, { name: 'old', scope: 'all', expiresAt: null }, now);
      await apiKeys.insert({ ...row, revoked_at: now });
    }
  });
  await service.clock.advance(2_000);
  for (const name of ['newer', 'newest']) await createKey(visitor, name);
  const kept = await service.accounts.listKeys(visitor.email);
  assert.equal(kept.length, 501, 'the newest 500 and the one that works');
  assert.equal(
    kept.some(({ id }) => id === revoked.key.id),
    false,
  );
  assert.equal(await useKey(working.secret), 201);

  let { id } = working.key;
  for (let index = 0; index < 25; index += 1)
    ({ id } = (await visitor.call('POST /keys/:id/rotate', { id, body: { grace_seconds: 3_600 } })).body.key);
  const refused = await visitor.call('POST /keys/:id/rotate', { id, body: { grace_seconds: 3_600 } });
  assert.equal(refused.status, 422);
  assert.match(JSON.stringify(refused.body), /grace_seconds: an account has at most 25/);
  const atOnce = await visitor.call('POST /keys/:id/rotate', { id, body: { grace_seconds: 0 } });
  assert.equal(atOnce.status, 201);
});

test('a key can be limited to uploads or renders, and a 401 says so to its holder and in the log', async () => {
  const visitor = await signedInVisitor(service);
  const make = async (scope: 'uploads' | 'renders') =>
    (await visitor.call('POST /keys', { body: { name: scope, scope } })).body;
  const uploads = await make('uploads');
  const renders = await make('renders');
  const ask = (path: string, key: string) =>
    post(`${service.origin}/api/v1/${path}`, { headers: bearer(key) });
  for (const path of ['upload', 'upload/batch']) {
    assert.equal((await ask(path, uploads.secret)).status, 422, 'past the key');
    const { status, body } = await ask(path, renders.secret);
    assert.deepEqual([status, body.error.code], [401, 'unauthorized']);
    assert.match(body.error.message, /may not upload; it is for renders only/);
  }
  for (const path of ['screenshot', 'pdf']) {
    assert.equal((await ask(path, renders.secret)).status, 422, 'past the key');
    const { status, body } = await ask(path, uploads.secret);
    assert.deepEqual([status, body.error.code], [401, 'unauthorized']);
    assert.match(body.error.message, /may not render; it is for uploads only/);
  }
  const { body } = await visitor.call('GET /requests', { query: { key_id: renders.key.id } });
  const reasons = body.items.filter(({ status }) => status === 401).map(({ reason }) => reason);
  assert.deepEqual(reasons, ['key may not upload', 'key may not upload']);

  const rotated = await visitor.call('POST /keys/:id/rotate', {
    id: renders.key.id,
    body: { grace_seconds: 0 },
  });
  assert.deepEqual([rotated.body.key.scope, rotated.body.key.expires_at], ['renders', null]);
  await visitor.call('POST /keys/:id/revoke', { id: rotated.body.key.id });
  const { message } = (await ask('upload', rotated.body.secret)).body.error;
  assert.match(message, /send a valid API key/, 'a revoked key learns nothing');
});

test('a key ends at its expiry date, also when it is in memory; a rotated one gets the same lifetime again', async () => {
  const visitor = await signedInVisitor(service);
  const { clock } = service;
  const day = 86_400_000;
  const at = (ms: number) => new Date(clock.now() + ms).toISOString();
  const make = (expires_at: string) => visitor.call('POST /keys', { body: { name: 'brief', expires_at } });
  for (const wrong of [at(0), at(-day), at(3651 * day), 'tomorrow']) {
    assert.equal((await make(wrong)).status, 422, wrong);
  }
  const expiry = at(2 * day);
  const { secret, key } = (await make(expiry)).body;
  assert.deepEqual([key.state, key.scope, key.expires_at], ['active', 'all', expiry]);
  assert.equal(await useKey(secret), 201);
  await clock.advance(day);
  assert.equal(await useKey(secret), 201);
  const rotation = { id: key.id, body: { grace_seconds: 604_800 } } as const;
  const rotated = (await visitor.call('POST /keys/:id/rotate', rotation)).body;
  const life = (made: Key) => Date.parse(made.expires_at ?? '') - Date.parse(made.created_at);
  assert.ok(Math.abs(life(rotated.key) - life(key)) < 1_000, 'as long as the old one was given');
  const stateOf = async (id: string) =>
    (await visitor.call('GET /keys')).body.items.find((item) => item.id === id);
  const ending = await stateOf(key.id);
  assert.deepEqual([ending?.state, ending?.ends_at], ['ending', expiry], 'not past its own expiry');
  await clock.advance(day);
  assert.deepEqual([await useKey(secret), await useKey(rotated.secret)], [401, 201]);
  await clock.advance(day);
  assert.equal(await useKey(rotated.secret), 401);
  assert.equal((await stateOf(rotated.key.id))?.state, 'expired');
  const again = await visitor.call('POST /keys/:id/rotate', { ...rotation, id: rotated.key.id });
  assert.equal(again.status, 422, 'an expired key is not brought back');
  const { body } = await visitor.call('GET /requests', { query: { key_id: rotated.key.id } });
  assert.deepEqual([body.items[0]?.status, body.items[0]?.reason], [401, 'expired key']);
  await clock.advance(-3 * day);
});

test('an account has at most 25 keys, also when they are created at the same time', async () => {
  const visitor = await signedInVisitor(service);
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) => visitor.call('POST /keys', { body: { name: `key ${index}` } })),
  );
  assert.equal(answers.filter(({ status }) => status === 201).length, 25);
  assert.equal(answers.filter(({ status }) => status === 422).length, 15);
  const first = answers.find(({ status }) => status === 201)!.body.key.id;
  const rotated = await visitor.call('POST /keys/:id/rotate', { id: first, body: { grace_seconds: 3_600 } });
  assert.equal(rotated.status, 201, 'rotating needs no free place');
});

test('overages run exactly to their cap, under concurrency too; usage and its CSV say the same', async () => {
  const visitor = await signedInVisitor(service, { plan: 'tiny' });
  const { secret, key } = await createKey(visitor);
  const switched = await visitor.call('PATCH /overages', { body: { enabled: true, cap: 3 } });
  assert.deepEqual(switched.body.overages, { available: true, enabled: true, cap: 3 });
  const statuses = await Promise.all(Array.from({ length: 12 }, () => useKey(secret)));
  assert.equal(statuses.filter((status) => status === 201).length, 5);
  assert.equal(statuses.filter((status) => status === 402).length, 7);

  const { body } = await visitor.call('GET /usage');
  const { used, overage, remaining, percent } = body.units.upload;
  assert.deepEqual(
    { used, overage, remaining, percent },
    { used: 5, overage: 3, remaining: 0, percent: 250 },
  );
  const day = new Date(service.clock.now()).toISOString().slice(0, 10);
  assert.deepEqual(body.daily, [{ day, unit: 'upload', key_id: key.id, used: 5, overage: 3 }]);
  const csv = await (await visitor.raw('GET /usage.csv')).text();
  assert.equal(csv, `day,unit,key_id,key_name,used,overage\r\n${day},upload,${key.id},a key,5,3\r\n`);

  await visitor.call('PATCH /overages', { body: { enabled: true, cap: null } });
  assert.equal(await useKey(secret), 201);
  await visitor.call('PATCH /overages', { body: { enabled: false, cap: null } });
  assert.equal(await useKey(secret), 402);
  const free = await signedInVisitor(service, { plan: 'free' });
  assert.equal((await free.call('PATCH /overages', { body: { enabled: true, cap: null } })).status, 422);
});

test('the overview: units against the quota, the current minute, recent items and the first steps', async () => {
  const visitor = await signedInVisitor(service, { plan: 'tiny' });
  const { secret } = await createKey(visitor);
  await useKey(secret);
  const { body } = await visitor.call('GET /overview');
  assert.deepEqual([body.units.upload.used, body.units.upload.percent, body.units.render.used], [1, 50, 0]);
  assert.deepEqual([body.requests.limit, body.requests.used], [1_000, 1]);
  assert.equal(body.recent_uploads.length, 1);
  assert.match(body.resets_at, /^\d{4}-\d{2}-01T00:00:00\.000Z$/);
  const { has_password, is_verified, has_key, has_upload, has_render } = body.first_steps;
  assert.deepEqual(
    [has_password, is_verified, has_key, has_upload, has_render],
    [true, true, true, true, false],
  );
});

test('the request log can be narrowed to every endpoint that it has', () => {
  const documents = [buildOpenapi(''), buildOpenapi('', 2)] as { paths: object }[];
  const documented = documents
    .flatMap(({ paths }) => Object.keys(paths))
    .filter((path) => /^\/api\/v[12]\//.test(path))
    .map((path) => path.replace('{id}', ':id'));
  assert.deepEqual([...loggedPaths].sort(), documented.sort());
});

test('the request log: every response with its key and the reason for a refusal', async () => {
  const visitor = await signedInVisitor(service);
  const { secret, key } = await createKey(visitor, 'logged');
  await useKey(secret);
  await post(`${service.origin}/api/v1/upload`, {
    headers: bearer(secret),
    body: formOf([[Buffer.from('no picture'), 'a.png']]),
  });
  await service.accounts.update(visitor.email, { verified: false });
  const refused = await post(`${service.origin}/api/v1/upload`, { headers: bearer(secret) });
  await service.accounts.update(visitor.email, { verified: true });
  await visitor.call('POST /keys/:id/revoke', { id: key.id });
  await useKey(secret);

  const { body } = await visitor.call('GET /requests');
  assert.deepEqual(
    body.items.map(({ status, code, reason, key_name }) => [status, code, reason, key_name]),
    [
      [401, 'unauthorized', 'revoked key', 'logged'],
      [401, 'unauthorized', 'unverified account', 'logged'],
      [415, 'unsupported_type', 'file: its content is not a PNG, JPEG, GIF, WebP, SVG or AVIF', 'logged'],
      [201, null, null, 'logged'],
    ],
  );
  const found = async (query: Record<string, string>) =>
    (await visitor.call('GET /requests', { query })).body.items.map(({ status }) => status);
  assert.deepEqual(await found({ outcome: '4xx' }), [401, 401, 415]);
  assert.deepEqual(await found({ outcome: '5xx' }), []);
  assert.deepEqual(await found({ outcome: 'succeeded', path: '/api/v1/upload' }), [201]);
  assert.deepEqual(await found({ path: '/api/v1/pdf' }), []);
  assert.deepEqual(await found({ path: '/api/v2/uploads/:id' }), []);
  await service.clock.advance(3_700_000);
  assert.deepEqual(await found({ within: 'hour' }), []);
  assert.equal((await found({ within: 'day' })).length, 4);
  await service.clock.advance(-3_700_000);
  assert.equal(body.items[1]?.request_id, refused.headers.get('x-request-id'));
  const failed = await visitor.call('GET /requests', { query: { outcome: 'failed', limit: '2' } });
  assert.equal(failed.body.items.length, 2);
  const rest = await visitor.call('GET /requests', {
    query: { outcome: 'failed', cursor: failed.body.next_cursor ?? '' },
  });
  assert.deepEqual(
    rest.body.items.map(({ status }) => status),
    [415],
  );
});

test('a row of the request log has its field, its steps and what it created; daily totals outlive it', async () => {
  const { accountId, ...visitor } = await signedInVisitor(service);
  const { secret, key } = await createKey(visitor, 'detailed');
  const answer = await post<{ items: { upload?: { id: string } }[] }>(
    `${service.origin}/api/v1/upload/batch`,
    {
      headers: bearer(secret),
      body: formOf([
        [image, 'a.png'],
        [Buffer.from('no picture'), 'b.png'],
        [image, 'c.png'],
      ]),
    },
  );
  await post(`${service.origin}/api/v1/screenshot`, {
    headers: { ...bearer(secret), 'content-type': 'application/json' },
    body: JSON.stringify({ url: 'http://localhost/' }),
  });
  const { body } = await visitor.call('GET /requests');
  const [refused, batch] = body.items;
  assert.deepEqual([refused?.field, refused?.made, refused?.phases], ['url', [], []]);
  assert.deepEqual(
    batch?.made,
    answer.body.items.flatMap(({ upload }) =>
      upload ? [{ kind: 'upload', id: upload.id, target: null }] : [],
    ),
  );
  assert.equal(batch?.made.length, 2);
  assert.deepEqual(
    batch?.phases.map(({ name }) => name),
    ['receive', 'store'],
  );
  assert.equal(batch?.field, null);

  const between = async (since: number, until: number) =>
    (
      await visitor.call('GET /requests', {
        query: { since: new Date(since).toISOString(), until: new Date(until).toISOString() },
      })
    ).body.items.length;
  const now = service.clock.now();
  assert.equal(await between(now - 60_000, now + 1_000), 2);
  assert.equal(await between(now - 120_000, now - 60_000), 0);
  const wrong = await visitor.call('GET /requests', { query: { since: 'yesterday' } });
  assert.equal(wrong.status, 422);

  const today = dayOf(now);
  const days = await service.database.tables.ownedBy(accountId).requests.days(today, today);
  const sums = days.map((row) => [row.path, row.key_id, row.refused, row.failed, succeededOf(row)].join(' '));
  assert.deepEqual(new Set(sums), new Set([`render ${key.id} 1 0 0`, `upload ${key.id} 0 0 1`]));
});

test('the request log is kept for thirty days and bounded for each account', async () => {
  const { accountId, ...visitor } = await signedInVisitor(service);
  const { database, clock } = service;
  const requestLog = createRequestLog({ database, clock, log: pino({ level: 'silent' }) });
  const record = (id: string) =>
    requestLog.record({
      id,
      account_id: accountId,
      key_id: null,
      path: '/api/v1/upload',
      kind: 'upload',
      status: 201,
      code: null,
      reason: null,
      field: null,
      duration_ms: 1,
      phases: null,
      made: null,
    });
  await clock.advance(-31 * 86_400_000);
  record('old');
  await clock.advance(31 * 86_400_000);
  for (let index = 0; index < 10; index += 1) {
    await clock.advance(1_000);
    record(`new${index}`);
  }
  await requestLog.flush();
  await requestLog.sweep({ rowsEach: 4 });
  const { body } = await visitor.call('GET /requests');
  assert.deepEqual(
    body.items.map(({ request_id }) => request_id),
    ['new9', 'new8', 'new7', 'new6'],
  );
});

test('a key that another machine revoked is refused, although its clock is a second ahead', async () => {
  const visitor = await signedInVisitor(service);
  const { key, secret } = await createKey(visitor);
  await service.database.tables.apiKeys.revoke(key.id, service.clock.now() + 1_000);
  assert.equal(await useKey(secret), 401);
});
