// Two machines on one Postgres and one S3 store: every limit of the contract is exact across them, and a machine that dies
// takes nothing with it.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Plan } from '#accounts/plans.ts';
import { startFleet, type Fleet } from '#test/support/fleet.ts';
import { png } from '#test/support/images.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { query } from '#test/support/postgres.ts';
import { bearer, formOf, post, type Answer, type ErrorBody } from '#test/support/requests.ts';
import { waitFor } from '#test/support/wait-for.ts';

interface Uploaded {
  id: string;
  file_url: string;
}

const plan = (id: string, change: Partial<Plan>): Plan => ({
  id,
  name: id,
  uploads_per_month: 10_000,
  renders_per_month: 1_000,
  requests_per_minute: 100_000,
  concurrent_renders: 3,
  overages: false,
  paid: true,
  max_link_seconds: null,
  ...change,
});

describe('two machines', () => {
  let fleet: Fleet;
  let pages: PageServer;
  let image: Buffer;

  before(async () => {
    image = await png();
    pages = await startPageServer();
    fleet = await startFleet({
      machines: 2,
      plans: [
        plan('ample', {}),
        plan('fifty', { uploads_per_month: 50 }),
        plan('sixty', { requests_per_minute: 60 }),
      ],
      environment: { EGRESS_ALLOW: pages.host, RENDER_CONCURRENCY: '4' },
    });
  });
  after(async () => {
    await fleet?.stop();
    await pages?.close();
  });

  const upload = (origin: string, key: string): Promise<Answer<Uploaded & ErrorBody>> =>
    post(`${origin}/api/v1/upload`, { headers: bearer(key), body: formOf([[image, 'a.png']]) });
  /** As a client does it: an `internal` answer, which a busy machine may give, is asked again under the same key. */
  const uploadUntilAnswered = async (origin: string, key: string): Promise<Answer<Uploaded & ErrorBody>> => {
    const headers = { ...bearer(key), 'idempotency-key': crypto.randomUUID() };
    for (let left = 20; ; left -= 1) {
      const answer = await post<Uploaded & ErrorBody>(`${origin}/api/v1/upload`, {
        headers,
        body: formOf([[image, 'a.png']]),
      });
      if (answer.status !== 500 || left === 0) return answer;
    }
  };
  const machine = (index: number): string => fleet.machines[index]?.origin ?? '';
  const countOf = (answers: Answer[], status: number): number =>
    answers.filter((answer) => answer.status === status).length;
  const slugOf = ({ file_url }: Uploaded): string => new URL(file_url).pathname;

  test('4.1.3 of 200 uploads at once with 50 units left, exactly 50 are stored', async () => {
    const { key, accountId } = await fleet.newKey('fifty');
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => uploadUntilAnswered(fleet.origin, key)),
    );
    assert.equal(countOf(answers, 201), 50);
    assert.equal(countOf(answers, 402), 150);
    assert.deepEqual(await fleet.sums(accountId), { rows: 50, used: 50, ledger: 50 });
  });

  test('8 a budget of 60 a minute lets exactly 60 through', async () => {
    const { key } = await fleet.newKey('sixty');
    const answers = await Promise.all(Array.from({ length: 150 }, () => upload(fleet.origin, key)));
    assert.equal(countOf(answers, 429), 90);
    const remaining = answers
      .filter(({ status }) => status !== 429)
      .map(({ headers }) => Number(headers.get('x-service-ratelimit-remaining')));
    assert.deepEqual(
      remaining.toSorted((a, b) => a - b),
      Array.from({ length: 60 }, (_, index) => index),
    );
  });

  test('5.4 a key revoked on one machine is refused by the other on the next request', async () => {
    const { key, keyId } = await fleet.newKey('ample');
    for (const index of [0, 1]) assert.equal((await upload(machine(index), key)).status, 201);
    await fleet.accounts.revokeKey(keyId);
    for (const index of [0, 1]) assert.equal((await upload(machine(index), key)).status, 401);
  });

  test('2.1 what is uploaded to one machine is served and deleted by the other', async () => {
    const { key } = await fleet.newKey('ample');
    const { body } = await upload(machine(0), key);
    const served = await fetch(machine(1) + slugOf(body));
    assert.deepEqual(Buffer.from(await served.arrayBuffer()), image);
    const part = await fetch(machine(1) + slugOf(body), { headers: { range: 'bytes=2-5' } });
    assert.equal(part.status, 206);
    assert.deepEqual(Buffer.from(await part.arrayBuffer()), image.subarray(2, 6));
    const etag = served.headers.get('etag') ?? '';
    const again = await fetch(machine(1) + slugOf(body), { headers: { 'if-none-match': etag } });
    assert.equal(again.status, 304);
    const { pathname, search } = new URL((body as unknown as { delete_url: string }).delete_url);
    assert.equal((await post(machine(1) + pathname + search)).status, 200);
    assert.equal((await fetch(machine(0) + slugOf(body))).status, 404);
  });

  test('an Idempotency-Key used on both machines at once stores one upload', async () => {
    const { key, accountId } = await fleet.newKey('ample');
    const answers = await Promise.all(
      [0, 1, 0, 1].map((index) =>
        post<Uploaded>(`${machine(index)}/api/v1/upload`, {
          headers: { ...bearer(key), 'idempotency-key': 'the-one' },
          body: formOf([[image, 'a.png']]),
        }),
      ),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
    assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1);
    assert.deepEqual(await fleet.sums(accountId), { rows: 1, used: 1, ledger: 1 });
  });

  test('7 a cap of 3 never has 4 renders running', async () => {
    const { key } = await fleet.newKey('ample');
    let running = 0;
    let most = 0;
    const held: (() => void)[] = [];
    const url = pages.route('/held', (_request, response) => {
      running += 1;
      most = Math.max(most, running);
      response.once('close', () => {
        running -= 1;
      });
      held.push(() => response.end('<p>done</p>'));
    });
    const renders = Array.from({ length: 12 }, (_, index) =>
      post(`${machine(index % 2)}/api/v1/screenshot`, {
        headers: { ...bearer(key), 'content-type': 'application/json' },
        body: JSON.stringify({ url, response: 'json' }),
      }),
    );
    // Those past the cap are refused while the first three are held.
    const refused = Promise.all(
      renders.map(async (render) => {
        const { status, body } = await render;
        if (status === 429) assert.equal(body.error.code, 'concurrency_limited');
        return status;
      }),
    );
    let refusals = 0;
    for (const render of renders) void render.then(({ status }) => (refusals += status === 429 ? 1 : 0));
    await waitFor('three to run and nine to be refused', () => held.length === 3 && refusals === 9);
    for (const release of held) release();
    const statuses = await refused;
    assert.equal(statuses.filter((status) => status === 200).length, 3);
    assert.equal(statuses.filter((status) => status === 429).length, 9);
    assert.equal(most, 3);
  });

  test('a machine killed with -9 loses nothing acknowledged, and its slots free with the lease', async () => {
    const { key, accountId } = await fleet.newKey('ample');
    const url = pages.route('/never', () => {});
    const render = (index: number): Promise<Answer<ErrorBody>> =>
      post(`${machine(index)}/api/v1/screenshot`, {
        headers: { ...bearer(key), 'content-type': 'application/json' },
        body: JSON.stringify({ url: index === 0 ? url : `${pages.base}/held-no-more`, response: 'json' }),
      });
    pages.route('/held-no-more', '<p>here</p>');
    const lost = Array.from({ length: 3 }, () => render(0).catch(() => 'broken off'));
    const waiting = () => pages.seen.filter((line) => line.endsWith('/never')).length;
    await waitFor('three renders in progress', () => waiting() === 3);

    const acknowledged: Uploaded[] = [];
    const outcomes = Promise.allSettled(
      Array.from({ length: 60 }, async (_, index) => {
        const { status, body } = await upload(machine(index % 2), key);
        if (status === 201) acknowledged.push(body);
      }),
    );
    await upload(machine(0), key);
    await waitFor('uploads that were acknowledged', () => acknowledged.length >= 10);
    await fleet.machines[0]?.end('SIGKILL');
    await outcomes;
    for (const body of acknowledged) {
      const served = await fetch(machine(1) + slugOf(body));
      assert.deepEqual(Buffer.from(await served.arrayBuffer()), image);
    }
    const { rows, used, ledger } = await fleet.sums(accountId);
    assert.ok(rows > acknowledged.length && rows <= 61, `${rows} rows`);
    assert.deepEqual([used, ledger], [rows, rows]);

    assert.deepEqual(await Promise.all(lost), ['broken off', 'broken off', 'broken off']);
    assert.equal((await render(1)).status, 429);
    // The lease runs out after minutes; here its time is brought forward.
    await query(fleet.databaseUrl, 'update render_leases set expires_at = 0');
    assert.equal((await render(1)).status, 200);
  });
});
