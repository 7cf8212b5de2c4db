// Monthly quotas and their headers, clause by clause.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { monthOf } from '#metering/quota.ts';
import { booksOf } from '#test/support/books.ts';
import * as images from '#test/support/images.ts';
import { bearer, formOf, post } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';

let service: TestService;
let picture: Buffer;
before(async () => {
  service = await startService({ PLANS_FILE: new URL('../fixtures/plans.json', import.meta.url).pathname });
  picture = await images.png();
});
after(() => service.stop());

const upload = (key: string) =>
  post(`${service.origin}/api/v1/upload`, { body: formOf([[picture, 'a.png']]), headers: bearer(key) });

const quotaNames = [
  'x-service-quota-limit',
  'x-service-quota-remaining',
  'x-service-quota-usage-percent',
  'x-service-quota-warning',
  'x-service-overage',
];
const quotaOf = ({ headers }: { headers: Headers }) => quotaNames.map((name) => headers.get(name));

test('8 quota headers on metered responses: limit, remaining, percent, and a warning from 80 % on', async () => {
  const { key, accountId } = await service.newKey({ plan: 'ten-uploads' });
  const seen = [];
  for (let count = 0; count < 10; count += 1) seen.push(quotaOf(await upload(key)));
  assert.deepEqual(seen, [
    ['10', '9', '10', null, null],
    ['10', '8', '20', null, null],
    ['10', '7', '30', null, null],
    ['10', '6', '40', null, null],
    ['10', '5', '50', null, null],
    ['10', '4', '60', null, null],
    ['10', '3', '70', null, null],
    ['10', '2', '80', '80', null],
    ['10', '1', '90', '90', null],
    ['10', '0', '100', '100', null],
  ]);
  assert.deepEqual(await booksOf(service, accountId), {
    counter: { used: 10, overage: 0 },
    ledger: { used: 10, overage: 0 },
  });
});

test('8 the percentage is a whole number, rounded down: 39 of 50 is no warning yet', async () => {
  const { key } = await service.newKey({ plan: 'free' });
  assert.deepEqual(quotaOf(await upload(key)), ['500', '499', '0', null, null]);
  const fifty = await service.newKey({ plan: 'fifty-uploads' });
  let last;
  for (let count = 0; count < 39; count += 1) last = quotaOf(await upload(fifty.key));
  assert.deepEqual(last, ['50', '11', '78', null, null]);
  assert.deepEqual(quotaOf(await upload(fifty.key)), ['50', '10', '80', '80', null]);
});

test('8 no quota headers if nothing was metered', async () => {
  const { key } = await service.newKey({ plan: 'ten-uploads' });
  await upload(key);
  const none = quotaNames.map(() => null);
  const send = (body: RequestInit['body'], headers: Record<string, string>) =>
    post(`${service.origin}/api/v1/upload`, { body: body ?? null, headers });
  const failures = await Promise.all([
    send(formOf([[Buffer.from('text'), 'a']]), bearer(key)),
    send(formOf([]), bearer(key)),
    send(formOf([[picture, 'a']]), {}),
    post(`${service.origin}/api/v1/upload`, { method: 'PUT' }),
    post(`${service.origin}/api/nothing`),
  ]);
  assert.deepEqual(
    failures.map(({ status }) => status),
    [415, 422, 401, 405, 404],
  );
  for (const failure of failures) assert.deepEqual(quotaOf(failure), none, String(failure.status));
});

test('7 the quota is used up: 402 with the limit, nothing remaining and the rate-limit headers', async () => {
  const { key, accountId } = await service.newKey({ plan: 'two-uploads' });
  await upload(key);
  await upload(key);
  const refused = await upload(key);
  assert.deepEqual([refused.status, refused.body.error.code], [402, 'quota_exceeded']);
  assert.match(
    refused.body.error.message,
    /; overages, which the plan offers, or a larger plan lift it now\.$/,
  );
  assert.deepEqual(quotaOf(refused), ['2', '0', null, null, null]);
  assert.equal(refused.headers.get('x-service-ratelimit-limit'), '1000');
  assert.equal(refused.headers.get('x-service-ratelimit-remaining'), '997');
  assert.match(refused.headers.get('x-service-ratelimit-reset') ?? '', /^\d+$/);
  assert.deepEqual((await booksOf(service, accountId)).counter, { used: 2, overage: 0 });
});

test('7 a 402 names the limit of the requested unit, whatever the URL contains', async () => {
  const { key } = await service.newKey({ plan: 'no-renders' });
  const refused = await post(`${service.origin}/api/v1/screenshot?x=/upload`, {
    headers: { ...bearer(key), 'content-type': 'application/json' },
    body: JSON.stringify({ url: 'http://192.0.1.1/' }),
  });
  assert.equal(refused.status, 402);
  assert.deepEqual(quotaOf(refused), ['0', '0', null, null, null]);
});

test('8 overages on: units past the quota are stored, marked and billed', async () => {
  const { key, accountId } = await service.newKey({ plan: 'two-uploads', overages: true });
  await upload(key);
  assert.deepEqual(
    quotaOf(await upload(key)),
    ['2', '0', '100', '100', null],
    'the last unit is not an overage',
  );
  assert.deepEqual(quotaOf(await upload(key)), ['2', '0', '150', '100', 'true']);
  assert.deepEqual(quotaOf(await upload(key)), ['2', '0', '200', '100', 'true']);
  assert.deepEqual(await booksOf(service, accountId), {
    counter: { used: 4, overage: 2 },
    ledger: { used: 4, overage: 2 },
  });
});

test('7 turning overages on or off takes effect with the next request', async () => {
  const { key, email } = await service.newKey({ plan: 'two-uploads' });
  await upload(key);
  await upload(key);
  assert.equal((await upload(key)).status, 402);
  await service.accounts.update(email, { overages: true });
  assert.equal((await upload(key)).headers.get('x-service-overage'), 'true');
  await service.accounts.update(email, { overages: false });
  assert.equal((await upload(key)).status, 402);
});

test('7 overages that the plan does not offer have no effect, even if the account turned them on before', async () => {
  const { key, email } = await service.newKey({ plan: 'two-uploads', overages: true });
  await upload(key);
  await upload(key);
  await service.accounts.update(email, { plan: 'no-uploads' });
  const refused = await upload(key);
  assert.equal(refused.status, 402);
  await assert.rejects(service.accounts.update(email, { overages: true }), /not available on the plan/);
});

test('8 a downgrade in mid-month: remaining is never below 0', async () => {
  const { key, email } = await service.newKey({ plan: 'ten-uploads' });
  for (let count = 0; count < 4; count += 1) await upload(key);
  await service.accounts.update(email, { plan: 'two-uploads' });
  assert.deepEqual(quotaOf(await upload(key)), ['2', '0', null, null, null]);
  await service.accounts.update(email, { overages: true });
  assert.deepEqual(quotaOf(await upload(key)), ['2', '0', '250', '100', 'true']);
});

test('8 the month is the calendar month, UTC: the quota resets at its first millisecond', async () => {
  const monthly = await startService({
    PLANS_FILE: new URL('../fixtures/plans.json', import.meta.url).pathname,
  });
  try {
    const { key } = await monthly.newKey({ plan: 'two-uploads' });
    const send = () =>
      post(`${monthly.origin}/api/v1/upload`, { body: formOf([[picture, 'a.png']]), headers: bearer(key) });
    monthly.clock.hold();
    await send();
    await send();
    const now = new Date(monthly.clock.now());
    const nextMonth = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
    await monthly.clock.advance(nextMonth - now.getTime() - 1);
    assert.equal((await send()).status, 402, 'in the last millisecond of the month');
    await monthly.clock.advance(1);
    assert.deepEqual(quotaOf(await send()), ['2', '1', '50', null, null]);
  } finally {
    await monthly.stop();
  }
});

test('monthOf ignores local time', () => {
  assert.equal(monthOf(Date.UTC(2026, 0, 1) - 1), '2025-12');
  assert.equal(monthOf(Date.UTC(2026, 0, 1)), '2026-01');
});
