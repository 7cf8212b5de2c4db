// Many captures at once: the account's cap is found and kept, the request budget is waited for, nothing is lost.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TintypeError } from '#client/errors.ts';
import type { Meta } from '#client/meta.ts';
import { outcomesOf, runAll, type Outcome } from '#client/run-all.ts';
import { createFakeClock, type FakeClock } from './support.ts';

interface Shot {
  url: string;
  file: string;
}
type ShotOutcome = Outcome<Shot, { meta: Meta }>;

const shotsOf = (count: number): Shot[] =>
  Array.from({ length: count }, (_, index) => ({ url: `http://page.test/${index}`, file: `${index}.png` }));

/** What the contract says of cap and budget, in memory: a capture takes a few turns of the event loop. */
function createAccount({ cap, budget, clock }: { cap: () => number; budget: number; clock: FakeClock }) {
  let running = 0;
  let window = { endsAt: 0, count: 0 };
  const seen = { peak: 0, asked: 0, capped: 0, limited: 0 };

  function meta(): Meta {
    const resetSeconds = Math.ceil((window.endsAt - clock.now()) / 1000);
    const rateLimit = { limit: budget, remaining: budget - window.count, resetSeconds };
    return { requestId: 'r', rateLimit, quota: undefined, isReplay: false, attempts: 1 };
  }

  async function capture(shot: Shot) {
    seen.asked += 1;
    if (clock.now() >= window.endsAt) window = { endsAt: clock.now() + 60_000, count: 0 };
    if (window.count === budget) {
      seen.limited += 1;
      throw refusal('rate_limited', meta().rateLimit?.resetSeconds ?? 0);
    }
    window.count += 1;
    if (running >= cap()) {
      seen.capped += 1;
      throw refusal('concurrency_limited', 2);
    }
    running += 1;
    seen.peak = Math.max(seen.peak, running);
    for (let turn = 0; turn < 3 + (Number(shot.file.slice(0, -4)) % 4); turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    running -= 1;
    if (shot.url.endsWith('/13')) throw new TintypeError('capture_failed', 'no', { status: 502 });
    const result = { id: shot.file, bytes: new Uint8Array(0), contentType: 'image/png', durationMs: 1 };
    return { ...result, meta: meta() };
  }
  return { capture, seen };
}

const refusal = (code: 'rate_limited' | 'concurrency_limited', retryAfterSeconds: number) =>
  new TintypeError(code, 'told', { status: 429, retryAfterSeconds });

async function run(count: number, cap: () => number, budget: number) {
  const clock = createFakeClock();
  const account = createAccount({ cap, budget, clock });
  const outcomes: ShotOutcome[] = [];
  await runAll<Shot, { meta: Meta }>({
    jobs: shotsOf(count),
    attempt: account.capture,
    onOutcome: async (outcome) => void outcomes.push(outcome),
    ceiling: 100,
    clock,
    signal: new AbortController().signal,
  });
  assert.equal(new Set(outcomes.map(({ job }) => job.url)).size, count);
  assert.equal(outcomes.length, count);
  return { ...account.seen, outcomes, waits: clock.waits };
}

for (const cap of [1, 3, 10, 25]) {
  test(`a cap of ${cap} is found, used in full, and hardly ever asked beyond`, async () => {
    const { peak, capped, outcomes } = await run(400, () => cap, 100_000);
    assert.equal(peak, cap);
    assert.ok(capped <= 24, `refused ${capped} times of 400`);
    assert.equal(outcomes.filter((outcome) => 'error' in outcome).length, 1);
  });
}

test('a cap that falls and rises again is followed', async () => {
  let asked = 0;
  const { peak, capped } = await run(600, () => ((asked += 1) > 200 && asked < 300 ? 2 : 8), 100_000);
  assert.equal(peak, 8);
  assert.ok(capped <= 40, `refused ${capped} times of 600`);
});

test('a cap that is used up by others is waited for, as Retry-After says', async () => {
  let refusals = 0;
  const { waits, capped } = await run(3, () => ((refusals += 1) <= 4 ? 0 : 1), 100_000);
  assert.equal(capped, 4);
  assert.ok(waits.length > 0 && waits.every((ms) => ms > 0 && ms <= 2000));
});

test('a budget of 30 requests a minute is spent and waited for, without being asked for more', async () => {
  const { limited, waits, asked, capped } = await run(100, () => 1, 30);
  assert.equal(limited, 0);
  assert.equal(asked, 100 + capped);
  assert.ok(waits.filter((ms) => ms > 50_000).length >= 3, waits.join(' '));
});

test('a list of 200,000 pages waits out a refusal like any other', async () => {
  const clock = createFakeClock();
  let asked = 0;
  const all = runAll<Shot, { meta: Meta }>({
    jobs: shotsOf(200_000),
    async attempt() {
      asked += 1;
      if (asked === 1) throw refusal('rate_limited', 7);
      throw new TintypeError('quota_exceeded', 'used up', { status: 402 });
    },
    onOutcome: async () => {},
    ceiling: 5,
    clock,
    signal: new AbortController().signal,
  });
  await assert.rejects(all, { code: 'quota_exceeded' });
  assert.deepEqual(clock.waits, [7000]);
});

test('a refused key ends the run: the rest is left for the next one', async () => {
  let asked = 0;
  const outcomes: ShotOutcome[] = [];
  await assert.rejects(
    runAll<Shot, { meta: Meta }>({
      jobs: shotsOf(50),
      async attempt() {
        asked += 1;
        throw new TintypeError('quota_exceeded', 'used up', { status: 402 });
      },
      onOutcome: async (outcome) => void outcomes.push(outcome),
      ceiling: 5,
      clock: createFakeClock(),
      signal: new AbortController().signal,
    }),
    { code: 'quota_exceeded' },
  );
  assert.deepEqual([asked, outcomes.length], [1, 1]);
});

test('outcomes wait for their reader, and leaving the loop stops the run', async () => {
  const clock = createFakeClock();
  const account = createAccount({ cap: () => 8, budget: 100_000, clock });
  const stop = new AbortController();
  let taken = 0;
  const work = { jobs: shotsOf(400), attempt: account.capture, ceiling: 8, clock, signal: stop.signal };
  for await (const outcome of outcomesOf(work, () => stop.abort())) {
    assert.ok('job' in outcome);
    taken += 1;
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    assert.ok(
      account.seen.asked <= taken + 8 + account.seen.capped,
      `${account.seen.asked} asked, ${taken} taken`,
    );
    if (taken === 40) break;
  }
  assert.equal(stop.signal.aborted, true);
  const { asked } = account.seen;
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(account.seen.asked <= asked + 8);
});

test('what a run waits for is told', async () => {
  const clock = createFakeClock();
  const account = createAccount({ cap: () => 1, budget: 3, clock });
  const waits: unknown[] = [];
  await runAll({
    jobs: shotsOf(5),
    attempt: account.capture,
    onOutcome: async () => {},
    onWait: (waiting) => waits.push(waiting),
    ceiling: 1,
    clock,
    signal: undefined,
  });
  assert.deepEqual(waits, [{ for: 'request budget', seconds: 60 }]);
});
