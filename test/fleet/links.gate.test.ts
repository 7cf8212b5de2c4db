// One link on two machines: a hundred clients at once are one render and one unit, and a machine that is killed in the middle of it
// is replaced by the other. V2 2.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';
import { systemClock } from '#core/clock.ts';
import { createLinkKeys } from '#accounts/link-keys.ts';
import { createPlans } from '#accounts/plans.ts';
import { monthOf } from '#metering/quota.ts';
import { startFleet, type Fleet } from '#test/support/fleet.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { waitFor } from '#test/support/wait-for.ts';

let fleet: Fleet;
let site: PageServer;

before(async () => {
  site = await startPageServer({ '/': '<!doctype html><h1>Hello' });
  fleet = await startFleet({ machines: 2, environment: { EGRESS_ALLOW: site.host } });
});
after(async () => {
  await fleet.stop();
  await site.close();
});

/** The link of a new account, and what it has used. */
async function newLink(path: string) {
  const { accountId } = await fleet.newKey('business');
  const { database } = fleet;
  const keys = createLinkKeys({ database, plans: createPlans(), clock: systemClock });
  const { row, secret } = await keys.create(accountId, 'test');
  const payload = Buffer.from(JSON.stringify({ url: site.base + path })).toString('base64url');
  const signature = createHmac('sha256', secret).update(`v2.${payload}`).digest('base64url');
  return {
    get: (machine: number) => fetch(`${fleet.machines[machine]!.origin}/r/${row.id}/${payload}/${signature}`),
    async books() {
      const counter = { accountId, unit: 'render', month: monthOf(Date.now()) } as const;
      const { usage } = database.tables;
      return {
        used: (await usage.read(counter)).used,
        ledger: (await usage.sumOfLedger(counter)).used,
        visits: site.seen.filter((line) => line === `GET ${path}`).length,
      };
    },
  };
}

test('a hundred clients that open one link at once, on two machines: one render, one unit', async () => {
  const { get, books } = await newLink('/');
  const answers = await Promise.all(
    Array.from({ length: 100 }, async (_, place) => {
      const response = await get(place % 2);
      const bytes = Buffer.from(await response.arrayBuffer());
      return { status: response.status, cache: response.headers.get('x-service-cache'), bytes };
    }),
  );
  assert.ok(answers.every(({ status, bytes }) => status === 200 && bytes.equals(answers[0]!.bytes)));
  assert.equal(answers.filter(({ cache }) => cache === 'miss').length, 1);
  assert.equal(answers.filter(({ cache }) => cache === 'hit').length, 99);
  assert.deepEqual(await books(), { used: 1, ledger: 1, visits: 1 });
});

test('kill -9 of the machine that renders: the other one makes it, for one unit', async () => {
  const path = '/slow';
  let visits = 0;
  site.route(path, (_request, response) => {
    visits += 1;
    // The first machine waits for ever.
    if (visits > 1) response.setHeader('content-type', 'text/html').end('<h1>Hello');
  });
  const { get, books } = await newLink(path);
  const lost = get(0).catch((error: unknown) => error);
  await waitFor('the first machine to render', () => visits === 1);
  const waiting = Array.from({ length: 10 }, () => get(1));
  await fleet.machines[0]!.end('SIGKILL');
  assert.ok((await lost) instanceof Error);
  const answers = await Promise.all(waiting);
  for (const answer of answers) {
    assert.equal(answer.status, 200);
    await answer.arrayBuffer();
  }
  assert.deepEqual(await books(), { used: 1, ledger: 1, visits: 2 });
});
