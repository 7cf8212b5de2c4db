// The concurrent-capture cap over HTTP: exact while renders run, and slots are freed however they end. Spec 7.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, test } from 'node:test';
import { startRenders, type RenderKit } from '#test/metering/render-kit.ts';
import type { TestService } from '#test/support/service.ts';
import { waitFor } from '#test/support/wait-for.ts';

let service: TestService;
let shoot: RenderKit['shoot'];
let stop: RenderKit['stop'];
/** Responses that the test holds back, so that renders stay in progress. */
const held: ServerResponse[] = [];
let onHeld: () => void = () => {};

before(async () => {
  ({ service, shoot, stop } = await startRenders({
    '/held': (_request, response) => {
      held.push(response);
      onHeld();
    },
    '/quick': '<!doctype html><p>quick',
  }));
});
after(() => stop());

async function untilHeld(count: number): Promise<void> {
  while (held.length < count) {
    await new Promise<void>((resolve) => {
      onHeld = resolve;
    });
  }
}

function letGo(): void {
  for (const response of held.splice(0)) response.setHeader('content-type', 'text/html').end('<p>held');
}

test('7 with a cap of 2 the third render is concurrency_limited, with Retry-After and the rate-limit headers', async () => {
  const { key } = await service.newKey({ plan: 'fifty-uploads' });
  const running = [shoot(key, '/held'), shoot(key, '/held')];
  await untilHeld(2);
  const third = await shoot(key, '/quick');
  assert.equal(third.status, 429);
  assert.match(third.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  assert.equal(third.headers.get('x-service-ratelimit-limit'), '1000');
  assert.equal(((await third.json()) as { error: { code: string } }).error.code, 'concurrency_limited');

  const { key: stranger } = await service.newKey({ plan: 'fifty-uploads' });
  assert.equal((await shoot(stranger, '/quick')).status, 200, 'the cap is per account');
  letGo();
  assert.deepEqual(
    (await Promise.all(running)).map(({ status }) => status),
    [200, 200],
  );
  assert.equal((await shoot(key, '/quick')).status, 200);
});

test('7 while the last unit is only reserved, the cap is reported: it can be retried, a spent quota cannot', async () => {
  const { key } = await service.newKey({ plan: 'two-uploads' });
  const running = [shoot(key, '/held'), shoot(key, '/held')];
  await untilHeld(2);
  const third = await shoot(key, '/quick');
  assert.equal(third.status, 429);
  assert.equal(((await third.json()) as { error: { code: string } }).error.code, 'concurrency_limited');
  letGo();
  await Promise.all(running);
  assert.equal((await shoot(key, '/quick')).status, 402);
});

test('a client that disconnects frees its slot at once and is not metered', async () => {
  const { key, accountId } = await service.newKey({ plan: 'free' });
  const hangUp = new AbortController();
  const gone = shoot(key, '/held', hangUp.signal).catch((error: Error) => error.name);
  await untilHeld(1);
  hangUp.abort();
  assert.equal(await gone, 'AbortError');
  await waitFor(
    'the slot to be free',
    async () => (await service.database.tables.renderLeases.live(accountId, Date.now())).leases === 0,
  );
  assert.equal((await shoot(key, '/quick')).status, 200);
  letGo();
  const month = new Date().toISOString().slice(0, 7);
  assert.equal((await service.database.tables.usage.read({ accountId, unit: 'render', month })).used, 1);
});

test('the lease of a machine that died expires, which frees its slot and unit', async () => {
  const { key, accountId } = await service.newKey({ plan: 'free' });
  await service.database.tables.renderLeases.insert({
    id: `dead-${accountId}`,
    account_id: accountId,
    key_id: null,
    expires_at: service.clock.now() + 60_000,
    units: 1,
  });
  assert.equal((await shoot(key, '/quick')).status, 429);
  await service.clock.advance(61_000);
  assert.equal((await shoot(key, '/quick')).status, 200);
});

test('renders in progress count against the quota: two parallel ones do not share the last unit', async () => {
  const { key, accountId } = await service.newKey({ plan: 'two-uploads' });
  assert.equal((await shoot(key, '/quick')).status, 200);
  const last = shoot(key, '/held');
  await untilHeld(1);
  const refused = await shoot(key, '/quick');
  assert.equal(refused.status, 402);
  assert.deepEqual(
    [refused.headers.get('x-service-quota-limit'), refused.headers.get('x-service-quota-remaining')],
    ['2', '0'],
  );
  letGo();
  const done = await last;
  assert.deepEqual([done.status, done.headers.get('x-service-quota-warning')], [200, '100']);
  const counter = {
    accountId,
    unit: 'render',
    month: new Date(service.clock.now()).toISOString().slice(0, 7),
  } as const;
  assert.equal((await service.database.tables.usage.read(counter)).used, 2);
  assert.equal((await service.database.tables.usage.sumOfLedger(counter)).used, 2);
});
