// Results that answer again: once for everyone who asks at once, on all machines; remembered failures; the last good result of a link.
// V2 2.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { ServiceError } from '#core/errors.ts';
import { newId } from '#core/ids.ts';
import { createPhases } from '#core/phases.ts';
import { RenderFailure } from '#browser/browser.ts';
import type { Database } from '#storage/database.ts';
import type { Caller } from '#accounts/authenticate.ts';
import { createCachedRenders, type CachedRenders } from '#renders/cached-renders.ts';
import type { CachedRequest } from '#renders/results.ts';
import { createRenderEvents } from '#renders/render-events.ts';
import { checkPuts } from '#renders/put-outputs.ts';
import { requireStorable } from '#renders/render-request.ts';
import { createFlights, maxWaiting, type Flight } from '#renders/flights.ts';
import { createWall } from '#wall/wall.ts';
import { createTestClock, passWait } from '#test/support/clock.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { renderRow } from '#test/storage/rows.ts';
import { contentOf, engines, openKit, requestFor, type Kit } from '#test/renders/kit.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const never = new AbortController().signal;
/** After which a machine looks for what another makes, at first. */
const pollMs = 100;

for (const engine of engines) {
  describe(`cached renders on ${engine.name}`, () => {
    let kit: Kit;
    let payer: Caller;
    let rendered = 0;
    /** Requests that have looked for a result. */
    let looked = 0;
    /** What the browser does before it renders. */
    let meanwhile: () => Promise<void>;
    let machines: CachedRenders[];

    before(async () => {
      kit = await openKit(engine);
      kit.browser.before = () => {
        rendered += 1;
        return meanwhile();
      };
      machines = [machine(), machine()];
    });
    after(() => kit.close());
    beforeEach(async () => {
      rendered = 0;
      looked = 0;
      meanwhile = async () => {};
      payer = await kit.newPayer({ concurrent_renders: 5 });
    });

    const machine = (clock = kit.clock): CachedRenders =>
      createCachedRenders({
        ...kit,
        database: counted(kit.database),
        flights: createFlights({ database: kit.database, clock }),
        events: createRenderEvents({ describe: (render) => render, wake() {} }),
      });
    const counted = (database: Database): Database => ({
      ...database,
      tables: {
        ...database.tables,
        ownedBy(accountId) {
          const owned = database.tables.ownedBy(accountId);
          const { cached } = owned.renders;
          return {
            ...owned,
            renders: {
              ...owned.renders,
              cached: (...of) =>
                cached(...of).finally(() => {
                  looked += 1;
                }),
            },
          };
        },
      },
    });
    /** Begins so many while a render is held, a few at a time: on a busy machine more would wait too long for a connection. */
    async function beginAll<T>(count: number, begin: (place: number) => Promise<T>): Promise<Promise<T>[]> {
      const begun: Promise<T>[] = [];
      while (begun.length < count) {
        const [before, some] = [looked, Math.min(10, count - begun.length)];
        for (let more = 0; more < some; more += 1) {
          const one = begin(begun.length);
          one.catch(() => {});
          begun.push(one);
        }
        await waitFor('them to look for a result', () => looked >= before + some);
      }
      return begun;
    }
    const asked = (change: Partial<CachedRequest> = {}): CachedRequest => ({
      ...requestFor(['png'], { isHosted: false, keepMs: minute }),
      cacheKey: `key of ${payer.accountId}`,
      maxAgeMs: minute,
      ...change,
    });
    const render = (request = asked(), { on = 0, as = payer, signal = never } = {}) =>
      machines[on]!.findOrRender(as, request, signal, async () => {}, createPhases());
    const link = (request = asked(), { on = 0, signal = never } = {}) =>
      machines[on]!.forLink(payer, request, signal, createPhases());
    async function hitOf(outcome: ReturnType<typeof render>) {
      const given = await outcome;
      assert.ok('hit' in given, 'it was rendered');
      return given.hit;
    }
    async function madeOf(outcome: ReturnType<typeof render>) {
      const given = await outcome;
      assert.ok('made' in given, 'it was in the cache');
      given.made.bytes?.[Symbol.dispose]();
      return given.made;
    }
    const unitsUsed = async () => (await kit.books(payer)).used;
    const flightsOf = () =>
      kit.database.connection
        .selectFrom('render_flights')
        .selectAll()
        .where('account_id', '=', payer.accountId)
        .execute();
    const unreachable = () => Promise.reject(new RenderFailure('unreachable', 'it cannot be reached'));
    /** Holds the browser until it is let go. */
    function hold(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      meanwhile = () => promise;
      return resolve;
    }

    test('a result answers again until it is too old, for its own account only', async () => {
      const { id } = await madeOf(render());
      await kit.clock.advance(59_000);
      const hit = await hitOf(render());
      assert.equal(hit.id, id);
      assert.equal(hit.ageMs, 59_000);
      assert.equal(
        String(Buffer.concat((await hit.bytes!.stream.toArray()) as Buffer[])),
        contentOf('png', 0),
      );
      assert.equal(await unitsUsed(), 1);
      assert.deepEqual(await flightsOf(), []);
      const stranger = await kit.newPayer();
      await madeOf(render(asked(), { as: stranger }));
      await kit.clock.advance(1_000);
      await madeOf(render());
      assert.equal(await unitsUsed(), 2);
    });

    test('a deleted result answers nothing, nor does one whose bytes are gone', async () => {
      const { id } = await madeOf(render());
      await kit.renderHistory.delete(payer.accountId, id);
      const second = await madeOf(render());
      await kit.blobs.delete(second.id);
      await madeOf(render());
      assert.equal(await unitsUsed(), 3);
    });

    test('bytes of the cache are hosted when somebody asks for links', async () => {
      const { id } = await madeOf(render());
      const hit = await hitOf(render(asked({ isHosted: true, expiresInSeconds: 3_600 })));
      assert.deepEqual([hit.id, hit.outputs[0]?.isHosted, hit.bytes], [id, true, undefined]);
      assert.equal(hit.expiresAt, kit.clock.now() + 60 * minute);
    });

    test('a hosted result lives as long as each request asked for, and as long as its bytes were kept before', async () => {
      const end = async (life: Partial<CachedRequest>) =>
        ((await hitOf(render(asked(life)))).expiresAt ?? Infinity) - kit.clock.now();
      const hosted = (minutes?: number) => ({
        isHosted: true,
        expiresInSeconds: minutes === undefined ? undefined : minutes * 60,
      });
      const month = 30 * day;
      for (const { max, kept, lives } of [
        {
          max: null,
          kept: 60,
          lives: [
            [5, 60],
            [90, 90],
            [5, 90],
            [undefined, Infinity],
            [5, Infinity],
          ],
        },
        {
          max: 86_400,
          kept: 60,
          lives: [
            [5, 60],
            [90, 90],
            [9_999, 1_440],
            [undefined, 1_440],
          ],
        },
        // No link outlives the plan's cap, not even one whose bytes were kept for longer.
        { max: 86_400, kept: 9_999, lives: [[5, 1_440]] },
      ] as const) {
        payer = await kit.newPayer({ max_link_seconds: max });
        await madeOf(render(asked({ keepMs: kept * minute, maxAgeMs: month })));
        for (const [wanted, minutes] of lives)
          assert.equal(
            await end({ ...hosted(wanted), maxAgeMs: month }),
            minutes * minute,
            `${max} ${kept} ${wanted}`,
          );
        const { bytes } = await hitOf(render());
        bytes?.[Symbol.dispose]();
      }
      assert.equal(await unitsUsed(), 1);
    });

    test('a hundred that ask at once on two machines are one render and one unit', async () => {
      const letGo = hold();
      const all = await beginAll(100, (place) => render(asked(), { on: place % 2 }));
      await waitFor('the render to begin', () => rendered > 0);
      letGo();
      await Promise.any(all);
      await passWait(kit.clock, pollMs);
      const outcomes = await Promise.all(all);
      assert.equal(outcomes.filter((outcome) => 'made' in outcome).length, 1);
      for (const outcome of outcomes)
        ('hit' in outcome ? outcome.hit : outcome.made).bytes?.[Symbol.dispose]();
      assert.deepEqual([rendered, await unitsUsed()], [1, 1]);
    });

    test('whoever hangs up keeps nobody waiting: the next one makes it', async () => {
      const letGo = hold();
      const first = new AbortController();
      const leaving = render(asked(), { signal: first.signal });
      await waitFor('the render to begin', () => rendered === 1);
      const waiting = Array.from({ length: 10 }, (_, place) => render(asked(), { on: place % 2 }));
      const second = new AbortController();
      const impatient = render(asked(), { signal: second.signal });
      second.abort();
      await assert.rejects(impatient, /the connection closed/);
      meanwhile = async () => {
        first.signal.throwIfAborted();
      };
      first.abort();
      letGo();
      // The browser of this test does not see the signal, so the first one may still land.
      await madeOf(leaving).catch(() => {});
      await Promise.any(waiting);
      await passWait(kit.clock, pollMs);
      for (const outcome of await Promise.all(waiting))
        ('hit' in outcome ? outcome.hit : outcome.made).bytes?.[Symbol.dispose]();
      assert.ok((await unitsUsed()) <= 1 && rendered <= 2);
    });

    test('those who waited for a render share its failure, on all machines', async () => {
      const both = [0, 1].map(() => createFlights({ database: kit.database, clock: kit.clock }));
      const failing = Promise.withResolvers<never>();
      let [looks, makes] = [0, 0];
      const all = Array.from({ length: 10 }, (_, place) =>
        both[place % 2]!.join({
          accountId: payer.accountId,
          cacheKey: 'any',
          signal: never,
          recallsFailures: false,
          async look() {
            looks += 1;
            return undefined;
          },
          take: async () => undefined,
          make() {
            makes += 1;
            return failing.promise;
          },
        }),
      );
      const ended = Promise.allSettled(all);
      // Each looks once, and the one that makes it once more.
      await waitFor('all of them to wait', () => looks === 11);
      failing.reject(new ServiceError('render_failed', 'url: no', { details: { reason: 'unreachable' } }));
      await Promise.race(all.map((one) => one.catch(() => {})));
      await passWait(kit.clock, pollMs);
      for (const outcome of await ended) {
        assert.equal(outcome.status, 'rejected');
        const { code, message, details } = outcome.reason as ServiceError;
        assert.deepEqual([code, message, details.reason], ['render_failed', 'url: no', 'unreachable']);
      }
      assert.equal(makes, 1);
    });

    test('what is wrong with one request alone is neither shared nor remembered', async () => {
      const flights = createFlights({ database: kit.database, clock: kit.clock });
      const spent = { ...payer, keyId: newId(), keyQuota: { render: 0 } };
      await assert.rejects(render(asked(), { as: spent }), { code: 'quota_exceeded' });
      assert.equal((await link()).cache, 'miss', 'the quota of a key is not that of the account');
      const wall = createWall({ allow: [] });
      for (const refuse of [
        () => checkPuts([{ place: 1, field: 'outputs[1].put_url', url: 'http://example.com/' }], wall),
        () => requireStorable({ reference: '\0' }),
      ]) {
        const failing = Promise.withResolvers<never>();
        let looks = 0;
        const join = (make: Flight<string>['make']) =>
          flights.join({
            accountId: payer.accountId,
            cacheKey: 'any',
            signal: never,
            recallsFailures: true,
            async look() {
              looks += 1;
              return undefined;
            },
            take: async () => undefined,
            make,
          });
        const first = join(() => failing.promise);
        first.catch(() => {});
        await waitFor('the first to make it', () => looks === 2);
        const second = join((land) => kit.database.transaction(land).then(() => 'made'));
        await waitFor('the second to wait', () => looks === 3);
        assert.throws(refuse, (error) => {
          failing.reject(error);
          return true;
        });
        await assert.rejects(first, { code: 'validation_error' });
        assert.equal(await second, 'made');
      }
    });

    test('those who waited look for the result once, together', async () => {
      const flights = createFlights({ database: kit.database, clock: kit.clock });
      const making = Promise.withResolvers<string>();
      const row = renderRow(payer.accountId);
      let isMade = false;
      let looks = 0;
      const all = Array.from({ length: 10 }, () =>
        flights.join({
          accountId: payer.accountId,
          cacheKey: 'any',
          signal: never,
          recallsFailures: false,
          async look() {
            looks += 1;
            return isMade ? row : undefined;
          },
          take: async ({ id }) => id,
          make: () => making.promise,
        }),
      );
      await waitFor('all of them to wait', () => looks === 11);
      isMade = true;
      making.resolve(row.id);
      assert.deepEqual(new Set(await Promise.all(all)), new Set([row.id]));
      assert.equal(looks, 12);
    });

    test('after a failure the next request tries again, a link after a minute', async () => {
      meanwhile = unreachable;
      for (const count of [1, 2]) {
        await assert.rejects(render(), { code: 'render_failed' });
        assert.equal(rendered, count);
      }
      for (const on of [0, 1]) await assert.rejects(link(asked(), { on }), { code: 'render_failed' });
      assert.equal(rendered, 2, 'remembered');
      await kit.clock.advance(minute);
      await assert.rejects(link(), { code: 'render_failed' });
      assert.equal(rendered, 3);
      meanwhile = async () => {};
      await assert.rejects(link(), { code: 'render_failed' });
      await madeOf(render());
      assert.equal((await link()).cache, 'hit');
      assert.equal(await unitsUsed(), 1);
    });

    test('a link shows its last good result while the page or the quota fails, for a week', async () => {
      const poor = { ...payer, plan: { ...payer.plan, renders_per_month: 1 } };
      payer = poor;
      const first = await link();
      assert.deepEqual([first.cache, (await link()).cache, rendered], ['miss', 'hit', 1]);
      await kit.clock.advance(minute);
      const spent = await link();
      assert.deepEqual(
        [spent.cache, spent.row.id, rendered],
        ['stale', first.row.id, 1],
        'no units are left',
      );
      payer = { ...poor, plan: { ...poor.plan, renders_per_month: 100 } };
      assert.equal((await link()).cache, 'stale', 'remembered');
      await kit.clock.advance(minute);
      meanwhile = unreachable;
      assert.deepEqual([(await link()).cache, rendered], ['stale', 2]);
      await kit.clock.advance(7 * day);
      await assert.rejects(link(), { code: 'render_failed' });
      assert.equal(await unitsUsed(), 1);
    });

    test('what a link has shown once is its last good result, also if another request has made it', async () => {
      const { id } = await madeOf(render());
      assert.equal((await link()).cache, 'hit');
      await kit.clock.advance(minute + 7 * day - 1);
      meanwhile = unreachable;
      const { cache, row } = await link();
      assert.deepEqual([cache, row.id], ['stale', id]);
      await kit.clock.advance(minute);
      await assert.rejects(link(), { code: 'render_failed' });
    });

    test('a render of a link goes on when its client hangs up', async () => {
      const letGo = hold();
      const client = new AbortController();
      const leaving = link(asked(), { signal: client.signal });
      await waitFor('the render to begin', () => rendered === 1);
      client.abort();
      await assert.rejects(leaving, /the connection closed/);
      const staying = link();
      letGo();
      assert.equal((await staying).cache, 'hit');
      assert.deepEqual([rendered, await unitsUsed()], [1, 1]);
    });

    test('a machine that ends in the middle keeps the others waiting for seconds; if it comes back, it stores nothing', async () => {
      const letGo = hold();
      // Its time stands still, so it does not prolong its lease.
      const itsClock = createTestClock(kit.clock.now());
      const slow = machine(itsClock).findOrRender(payer, asked(), never, async () => {}, createPhases());
      await waitFor('the render to begin', () => rendered === 1);
      const other = render();
      await waitFor('the other machine to wait', () => kit.clock.waits().includes(pollMs));
      meanwhile = async () => {};
      await kit.clock.advance(11_000);
      const { id } = await madeOf(other);
      letGo();
      await passWait(itsClock, pollMs);
      const hit = await hitOf(slow);
      hit.bytes?.[Symbol.dispose]();
      assert.equal(hit.id, id, 'the first machine answers with the result of the second');
      assert.deepEqual(await kit.books(payer), { used: 1, ledger: 1, leases: 0 });
      assert.deepEqual([rendered, await flightsOf()], [2, []]);
    });

    test('a machine that takes longer than its lease prolongs it, and nobody else makes the render', async () => {
      const letGo = hold();
      const slow = madeOf(render());
      await waitFor('the render to begin', () => rendered === 1);
      const other = hitOf(render(asked(), { on: 1 }));
      for (const lookMs of [pollMs, 2 * pollMs, 4 * pollMs]) {
        await waitFor('the other machine to wait', () => kit.clock.waits().includes(lookMs));
        await kit.clock.advance(9_000);
      }
      letGo();
      await slow;
      await passWait(kit.clock, 8 * pollMs);
      (await other).bytes?.[Symbol.dispose]();
      assert.equal(rendered, 1);
    });

    test('so many may wait in one process, and no more', async () => {
      const letGo = hold();
      const first = link();
      await waitFor('the render to begin', () => rendered === 1);
      const clients = Array.from({ length: maxWaiting + 1 }, () => new AbortController());
      const refused: unknown[] = [];
      const waiting = await beginAll(clients.length, async (place) => {
        const { signal } = clients[place]!;
        await link(asked(), { signal }).catch((error: unknown) => signal.aborted || refused.push(error));
      });
      await waitFor('one to be refused', () => refused.length > 0);
      for (const client of clients) client.abort();
      await Promise.all(waiting);
      assert.equal(refused.length, 1);
      const { code, retryAfterSeconds } = refused[0] as ServiceError;
      assert.deepEqual([code, retryAfterSeconds], ['concurrency_limited', 2]);
      const late = link();
      letGo();
      assert.deepEqual([(await first).cache, (await late).cache], ['miss', 'hit']);
    });

    test('what is no longer needed of flights is deleted, and a single machine forgets its own at a start', async () => {
      meanwhile = unreachable;
      await assert.rejects(link(), { code: 'render_failed' });
      const flights = createFlights({ database: kit.database, clock: kit.clock });
      await flights.forget();
      await flights.sweep();
      assert.equal((await flightsOf()).length, 1, 'the failure is remembered');
      await kit.clock.advance(minute);
      await flights.sweep();
      assert.deepEqual(await flightsOf(), []);
      const { renderFlights } = kit.database.tables;
      const now = kit.clock.now();
      const lock = { attempt: 'gone', lockedUntil: now + 10_000, now };
      const key = { account_id: payer.accountId, cache_key: 'any' };
      assert.ok(await renderFlights.claim(key, lock, { retries: true, awaited: undefined }));
      assert.ok(!(await renderFlights.claim(key, lock, { retries: true, awaited: undefined })));
      await flights.forget();
      assert.ok(await renderFlights.claim(key, lock, { retries: true, awaited: undefined }));
    });
  });
}
