// One queue of renders on two machines, each a process of its own on one Postgres: both take from it in turn, and when one is killed,
// the other ends what it had begun.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { builtInPlans } from '#accounts/plans.ts';
import { monthOf } from '#metering/quota.ts';
import { startFleet, type Fleet } from '#test/support/fleet.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { query } from '#test/support/postgres.ts';
import { bearer } from '#test/support/requests.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** RENDERS=10000 drains as many; the result is the same with fewer. */
const total = Number(process.env['RENDERS'] ?? 300);
const drainMs = 60_000 + total * 1_000;
const plan = {
  ...builtInPlans.at(-1)!,
  id: 'business',
  requests_per_minute: 1_000_000,
  queued_renders: 100_000,
};

describe('a queue of renders on two machines', () => {
  let fleet: Fleet;
  let pages: PageServer;
  before(async () => {
    pages = await startPageServer({ '/': '<p>quick' });
    fleet = await startFleet({
      machines: 2,
      plans: [plan],
      environment: { EGRESS_ALLOW: pages.host, RENDER_CONCURRENCY: '2' },
    });
  });
  after(async () => {
    await fleet.stop();
    await pages.close();
  });

  const queue = async (origin: string, key: string, body: object) => {
    const response = await fetch(`${origin}/api/v2/renders`, {
      method: 'POST',
      headers: { ...bearer(key), 'content-type': 'application/json' },
      body: JSON.stringify({ async: true, ...body }),
    });
    assert.equal(response.status, 202, await response.clone().text());
    return ((await response.json()) as { id: string }).id;
  };
  const count = async (sql: string, values: string[] = []) =>
    Number(
      (await query<{ count: string }>(fleet.databaseUrl, `select count(*) as count from ${sql}`, values))[0]
        ?.count,
    );

  test(`${total} renders of three accounts drain fairly`, { timeout: 2 * drainMs }, async () => {
    const accounts = await Promise.all([1, 2, 3].map(() => fleet.newKey('business')));
    // One account has six times as many as the last.
    const shares = [0.6, 0.3, 0.1].map((share) => Math.round(share * total));
    // Nothing begins before all are queued: these hold the slots.
    await query(
      fleet.databaseUrl,
      `insert into render_leases (id, account_id, expires_at, units)
       select accounts.id || slot, accounts.id, 9000000000000, 0 from accounts, generate_series(1, ${plan.concurrent_renders}) as slot`,
    );
    for (const [place, { key }] of accounts.entries())
      for (let made = 0; made < shares[place]!; made += 10)
        await Promise.all(
          Array.from({ length: Math.min(10, shares[place]! - made) }, (_, index) =>
            queue(fleet.machines[index % 2]!.origin, key, { html: `<p>${made + index}`, format: 'text' }),
          ),
        );
    await query(fleet.databaseUrl, 'delete from render_leases');
    await waitFor('the queue to drain', async () => (await count('render_jobs')) === 0, drainMs);

    const ended = await query<{ account_id: string }>(
      fleet.databaseUrl,
      "select account_id from renders where state = 'ended' and failure is null order by finished_at, id",
    );
    assert.equal(ended.length, total);
    // While all three have some left, none is ahead by more than what both machines run and have in line, and the turns made up for.
    const least = Math.min(...shares);
    const seen = new Map(accounts.map(({ accountId }) => [accountId, 0]));
    for (const { account_id } of ended) {
      seen.set(account_id, (seen.get(account_id) ?? 0) + 1);
      if (Math.max(...seen.values()) >= least - 2) break;
      const spread = Math.max(...seen.values()) - Math.min(...seen.values());
      assert.ok(spread <= 12, `one account is ${spread} renders ahead of another`);
    }
    for (const [place, { accountId }] of accounts.entries()) {
      const counter = { accountId, unit: 'render', month: monthOf(Date.now()) } as const;
      assert.equal((await fleet.database.tables.usage.read(counter)).used, shares[place]);
      assert.equal((await fleet.database.tables.usage.sumOfLedger(counter)).used, shares[place]);
    }
  });

  test('one machine is killed: the other ends its render, once', async () => {
    const { key, accountId } = await fleet.newKey('business');
    const [killed, other] = fleet.machines;
    const held: ServerResponse[] = [];
    const url = pages.route('/held', (_, response) => void held.push(response));
    const id = await queue(killed!.origin, key, { url, timeout_ms: 90_000 });
    await waitFor('it to be loaded', () => held.length === 1);
    const state = async (): Promise<string> => {
      const answer = await fetch(`${other!.origin}/api/v2/renders/${id}?wait=1`, { headers: bearer(key) });
      return ((await answer.json()) as { state: string }).state;
    };
    assert.equal(await state(), 'running');
    await killed!.end('SIGKILL');
    pages.route('/held', '<p>at last');
    for (const response of held) response.setHeader('content-type', 'text/html').end('<p>at last');
    // The lease runs out after half a minute; here its time is brought forward.
    await query(fleet.databaseUrl, 'update render_jobs set leased_until = 0');
    await waitFor('the other to end it', async () => (await state()) === 'succeeded');
    const counter = { accountId, unit: 'render', month: monthOf(Date.now()) } as const;
    assert.equal((await fleet.database.tables.usage.read(counter)).used, 1);
    assert.equal((await fleet.database.tables.usage.sumOfLedger(counter)).used, 1);
  });
});
