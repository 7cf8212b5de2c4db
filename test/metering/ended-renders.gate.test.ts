// Renders that end in every way, among them one that uses up its time and those of a browser that is killed: every slot is free
// afterwards. Spec 7.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startRenders, type RenderKit } from '#test/metering/render-kit.ts';
import { browsers } from '#test/support/process-table.ts';
import type { TestService } from '#test/support/service.ts';
import { waitFor } from '#test/support/wait-for.ts';

let service: TestService;
let shoot: RenderKit['shoot'];
let stop: RenderKit['stop'];
before(async () => {
  ({ service, shoot, stop } = await startRenders({
    '/quick': '<!doctype html><p>quick',
    '/nothing': (_request, response) => response.writeHead(204).end(),
    '/silent': () => {},
  }));
});
after(() => stop());

test('after 30 renders with every kind of ending, all slots are free again', async () => {
  const { key, accountId } = await service.newKey({ plan: 'crowd' });
  const counter = {
    accountId,
    unit: 'render',
    month: new Date(service.clock.now()).toISOString().slice(0, 7),
  } as const;
  const endings = [
    shoot(key, '/silent'),
    ...Array.from({ length: 18 }, () => shoot(key, '/quick')),
    ...Array.from({ length: 7 }, () => shoot(key, '/nothing')),
    ...Array.from({ length: 4 }, (_, index) => shoot(key, '/silent', AbortSignal.timeout(100 + index * 200))),
  ];
  const killed = Promise.any(endings.slice(1)).then(() => {
    for (const { group } of browsers()) process.kill(-group, 'SIGKILL');
  });
  const answers = await Promise.allSettled(endings);
  await killed;
  const statuses = answers.map((answer) =>
    answer.status === 'fulfilled' ? answer.value.status : 'disconnected',
  );
  assert.equal(statuses[0], 502, 'a page that never responds uses up its navigation time');
  // The counts depend on the machine; the kinds of ending do not. 429 is for renders that waited too long for a slot.
  const ways = new Set(statuses);
  for (const way of [200, 502, 'disconnected'] as const) assert.ok(ways.has(way), statuses.join(' '));
  assert.deepEqual(ways.difference(new Set([200, 502, 429, 'disconnected'])), new Set());
  await waitFor(
    'every slot to be free',
    async () =>
      (await service.database.tables.renderLeases.live(accountId, service.clock.now())).leases === 0,
  );
  assert.equal((await shoot(key, '/quick')).status, 200);
  // Only renders that returned a picture are metered.
  const { used } = await service.database.tables.usage.read(counter);
  assert.equal(used, statuses.filter((status) => status === 200).length + 1);
  assert.equal((await service.database.tables.usage.sumOfLedger(counter)).used, used);
});
