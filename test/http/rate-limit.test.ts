// The per-minute request budget, clause by clause.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { monthOf } from '#metering/quota.ts';
import * as images from '#test/support/images.ts';
import { bearer, formOf, post } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';

let service: TestService;
before(async () => {
  service = await startService({ PLANS_FILE: new URL('../fixtures/plans.json', import.meta.url).pathname });
  service.clock.hold();
});
after(() => service.stop());

const upload = async (key: string, path = '/api/v1/upload') =>
  post(service.origin + path, { body: formOf([[await images.png(), 'a.png']]), headers: bearer(key) });

const budgetOf = ({ headers }: { headers: Headers }) =>
  ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-service-ratelimit-${name}`));

test('8 the headers show the budget, what is left of it and the seconds until it refills', async () => {
  const { key } = await service.newKey({ plan: 'three-a-minute' });
  assert.deepEqual(budgetOf(await upload(key)), ['3', '2', '60']);
  await service.clock.advance(20_000);
  assert.deepEqual(budgetOf(await upload(key)), ['3', '1', '40']);
});

test('7 the budget is spent: 429 with Retry-After, until the window rolls over; nothing is metered', async () => {
  const { key, accountId } = await service.newKey({ plan: 'three-a-minute' });
  const statuses = [];
  for (let count = 0; count < 3; count += 1) statuses.push((await upload(key)).status);
  assert.deepEqual(statuses, [201, 201, 201]);
  await service.clock.advance(10_000);
  for (const path of ['/api/v1/upload', '/api/v1/upload/batch']) {
    const refused = await upload(key, path);
    assert.deepEqual([refused.status, refused.body.error.code], [429, 'rate_limited']);
    const [limit, remaining, reset] = budgetOf(refused);
    assert.deepEqual([limit, remaining], ['3', '0']);
    assert.equal(refused.headers.get('retry-after'), reset);
    assert.equal(refused.headers.get('x-service-quota-limit'), null);
  }
  const { used } = await service.database.tables.usage.read({
    accountId,
    unit: 'upload',
    month: monthOf(service.clock.now()),
  });
  assert.equal(used, 3);

  const wait = Number((await upload(key)).headers.get('retry-after'));
  await service.clock.advance((wait - 2) * 1000);
  assert.equal((await upload(key)).status, 429, 'refusals do not move the window');
  await service.clock.advance(3_000);
  assert.deepEqual(budgetOf(await upload(key)).slice(0, 2), ['3', '2'], 'the budget is full again');
});

test('8 a clock that is set back does not make the minute longer', async () => {
  const { key } = await service.newKey({ plan: 'three-a-minute' });
  for (let count = 0; count < 4; count += 1) await upload(key);
  await service.clock.advance(-3_600_000);
  const { status, headers } = await upload(key);
  assert.equal(status, 201);
  assert.ok(Number(headers.get('x-service-ratelimit-reset')) <= 60);
  await service.clock.advance(3_600_000);
});

test('8 a failed request counts against the budget', async () => {
  const { key } = await service.newKey({ plan: 'three-a-minute' });
  const failed = await post(`${service.origin}/api/v1/upload`, { headers: bearer(key) });
  assert.equal(failed.status, 422);
  assert.deepEqual(budgetOf(failed).slice(0, 2), ['3', '2']);
});

test("5.3 the budget is the account's: a second key does not widen it, another account has its own", async () => {
  const { key, email } = await service.newKey({ plan: 'three-a-minute' });
  const { key: second } = await service.accounts.createKey(email, 'second');
  await upload(key);
  await upload(second);
  await upload(key);
  assert.equal((await upload(second)).status, 429);
  const other = await service.newKey({ plan: 'three-a-minute' });
  assert.equal((await upload(other.key)).status, 201);
});

test('7 parallel requests: exactly the budget gets through', async () => {
  const { key } = await service.newKey({ plan: 'three-a-minute' });
  const answers = await Promise.all(Array.from({ length: 20 }, () => upload(key)));
  assert.equal(answers.filter(({ status }) => status === 201).length, 3);
  assert.equal(answers.filter(({ status }) => status === 429).length, 17);
});
