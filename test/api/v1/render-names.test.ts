// The name in `url` is looked up after the capture slot is taken, so that slow names delay only the accounts that request them.
// Spec 4.3, 7.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { monthOf } from '#metering/quota.ts';
import { type DnsServer, startDnsServer } from '#test/support/dns-server.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { bearer, post } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';

let service: TestService;
let site: PageServer;
let dns: DnsServer;

before(async () => {
  site = await startPageServer({ '/': '<!doctype html><p>Hello' }, { address: '127.0.0.2' });
  dns = await startDnsServer((name) => {
    if (name.startsWith('slow')) return 'silent';
    return { 'good.test': ['127.0.0.2'], 'inner.test': ['10.0.0.1'] }[name];
  });
  service = await startService({ EGRESS_ALLOW: '127.0.0.2', LOG_LEVEL: 'silent' }, 0, [dns.address]);
});
after(async () => {
  await service.stop();
  await site.close();
  dns.close();
});

const pageAt = (name: string) => `http://${name}:${new URL(site.base).port}/`;
const shoot = (key: string, name: string, signal?: AbortSignal, query = '') =>
  post(`${service.origin}/api/v1/screenshot`, {
    body: JSON.stringify({ url: pageAt(name) + query, width: 320, height: 320, response: 'json' }),
    headers: { ...bearer(key), 'content-type': 'application/json' },
    ...(signal && { signal }),
  });
const leases = async (accountId: string) =>
  (await service.database.tables.renderLeases.live(accountId, Date.now())).leases;

test('7 slow names of one account use only its own slots, and delay no other account', async () => {
  const [attacker, other] = [await service.newKey(), await service.newKey()];
  const stop = new AbortController();
  const slow = Array.from({ length: 40 }, (_, index) =>
    shoot(attacker.key, `slow${index}.test`, stop.signal),
  );
  while (!dns.asked.some((name) => name.startsWith('slow'))) await new Promise(setImmediate);
  assert.equal((await shoot(other.key, 'good.test')).status, 200, 'while the slow ones are looked up');
  const answers = await Promise.all(slow);
  const [refused, looked] = [429, 502].map((status) => answers.filter((answer) => answer.status === status));
  // Business has 25 slots. On a busy machine some are free again before the last request arrives.
  assert.ok(looked!.length >= 25, `${looked!.length} looked up`);
  assert.equal(looked!.length + refused!.length, 40);
  assert.match(
    looked![0]!.body.error.message,
    /^url: slow\d+\.test:\d+ could not be loaded: its name does not resolve$/,
  );
  assert.equal(await leases(attacker.accountId), 0);
});

test('4.3 a name that resolves to a private address is 422, not metered, and frees its slot', async () => {
  const { key, accountId } = await service.newKey({ plan: 'free' });
  for (let round = 0; round < 2; round += 1) {
    const { status, body } = await shoot(key, 'inner.test');
    assert.deepEqual([status, body.error.code], [422, 'validation_error']);
    assert.match(body.error.message, /^url: must be a public address: inner\.test resolves/);
  }
  assert.equal(await leases(accountId), 0);
  assert.equal((await shoot(key, 'good.test')).status, 200);
});

test('a request that is refused for its quota, or for a local name, asks no name server', async () => {
  const { key, accountId } = await service.newKey({ plan: 'free' });
  const counter = { accountId, unit: 'render', month: monthOf(Date.now()) } as const;
  for (let used = 0; used < 100; used += 1) await service.database.tables.usage.take(counter, 100, 100);
  dns.asked.length = 0;
  assert.equal((await shoot(key, 'good.test')).status, 402);
  assert.equal((await shoot(key, 'localhost.localdomain')).status, 422);
  assert.deepEqual(dns.asked, []);
});

test('the newest 200 failed renders of an account are kept, with 2,048 characters of their address', async () => {
  const { accountId, keyId, key } = await service.newKey();
  const { renders } = service.database.tables;
  const row = {
    key_id: keyId,
    kind: 'screenshot',
    target: 'http://old.test/',
    options: '{}',
    content_type: 'image/png',
    size_bytes: null,
    duration_ms: null,
    sha256: null,
    hosted: 0,
    expires_at: null,
    deleted_at: null,
    reference: null,
    units: 0,
    outputs: 0,
    receipt: null,
    finished_at: null,
    cache_key: null,
    state: 'ended',
  } as const;
  const stored = (id: string, account: string, failure: string | null, at: number) =>
    renders.insert({ ...row, id, account_id: account, failure, created_at: at });
  // What is older than the history goes with the next sweep.
  const longAgo = service.clock.now() - 3_600_000;
  const other = await service.newKey();
  await stored('other', other.accountId, 'too old', longAgo + 1);
  await stored('made', accountId, null, longAgo + 2);
  for (let index = 0; index < 250; index += 1)
    await stored(`failed${index}`, accountId, 'no', longAgo + 10 + index);
  const { status } = await shoot(key, 'nowhere.test', undefined, `?${'q'.repeat(5_000)}`);
  assert.equal(status, 502);
  const rows = await service.database.tables
    .ownedBy(accountId)
    .renders.page({}, { after: undefined, limit: 1_000 }, Date.now());
  const failed = rows.filter(({ failure }) => failure !== null);
  assert.equal(failed.length, 200);
  assert.equal(Math.max(...failed.map(({ target }) => target.length)), 2_048);
  assert.ok(rows.some(({ id }) => id === 'made'));
  assert.ok(await renders.byId('other'));
});
