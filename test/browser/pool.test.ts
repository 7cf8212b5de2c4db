// Which worker a render gets, and that one is left until it may rest. The workers are stand-ins, because the moments cannot be chosen with real
// ones; workers.gate.test.ts has those.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RenderFailure, type Rendered } from '#browser/browser.ts';
import { createPool, type RecycleLimits } from '#browser/pool.ts';
import type { Job, Task } from '#browser/job.ts';
import type { RenderOptions, Worker } from '#browser/worker/worker.ts';
import { waitFor } from '#test/support/wait-for.ts';

const never = new AbortController().signal;
const page = { finalUrl: null, status: null, title: '', width: null, height: null, warnings: [] };
const picture: Rendered = { outputs: [], page, async [Symbol.asyncDispose]() {} };

/** A render in a stand-in, which ends when the test says so. */
interface Held {
  worker: number;
  account: string;
  finish(): void;
  /** The worker reports that nothing of the render is left. */
  discard(): void;
}

async function start({
  places = 4,
  recycle,
  restAfterMs = Infinity,
}: { places?: number; recycle?: Partial<RecycleLimits>; restAfterMs?: number } = {}) {
  const running = new Set<number>();
  const held: Held[] = [];
  const lose = new Map<number, () => void>();
  const wear = new Map<number, () => void>();
  /** What the next starts wait for; a rejection is a start that fails. */
  const starts: Promise<void>[] = [];
  let count = 0;

  async function startWorker(): Promise<Worker> {
    const number = (count += 1);
    await starts.shift();
    const [gone, worn] = [new AbortController(), new AbortController()];
    const renders = new Map<Held, (error: Error) => void>();
    const inside = new Set<Held>();
    let served = 0;
    const end = () => {
      running.delete(number);
      for (const reject of renders.values())
        reject(new RenderFailure('crashed', 'lost', { browserLost: true }));
      for (const render of inside) render.discard();
      worn.abort();
      gone.abort();
    };
    running.add(number);
    lose.set(number, end);
    wear.set(number, () => worn.abort());
    return {
      pid: number,
      startedAt: performance.now(),
      started: { version: '' },
      gone: gone.signal,
      worn: worn.signal,
      get running() {
        return renders.size;
      },
      get undiscarded() {
        return inside.size;
      },
      get served() {
        return served;
      },
      render(task: Task) {
        served += 1;
        const [result, discarded] = [Promise.withResolvers<Rendered>(), Promise.withResolvers<void>()];
        const render: Held = {
          worker: number,
          account: (task as Job).account ?? '',
          finish() {
            renders.delete(render);
            result.resolve(picture);
          },
          discard() {
            inside.delete(render);
            discarded.resolve();
          },
        };
        renders.set(render, result.reject);
        inside.add(render);
        held.push(render);
        return { result: result.promise, discarded: discarded.promise };
      },
      ask: () => (gone.signal.aborted ? Promise.reject(new Error('gone')) : Promise.resolve()),
      end,
      close: async () => end(),
    };
  }

  const pool = await createPool({
    start: startWorker,
    places,
    restAfterMs,
    recycle: { renders: Infinity, ageMs: Infinity, bytes: Infinity, ...recycle },
    memory: { workerBytes: Infinity, renderBytes: 0, leftBytes: () => Infinity },
    log: { info() {}, warn() {}, error() {} },
  });
  const options: RenderOptions = { leftMs: 1_000, phases: undefined, signal: never };
  const render = (account: string, signal = never) =>
    pool.render(account, { account } as Job, { ...options, signal });
  return {
    pool,
    running,
    held,
    starts,
    render,
    lose: (n: number) => lose.get(n)!(),
    wear: (n: number) => wear.get(n)!(),
  };
}

test('renders of one account share a worker; another account gets its own', async () => {
  const { held, render, pool } = await start();
  const renders = [render('a'), render('a'), render('b')];
  await waitFor('all to begin', () => held.length === 3);
  assert.deepEqual(held.map(({ worker, account }) => `${account}${worker}`).toSorted(), ['a1', 'a1', 'b2']);
  for (const one of held) one.finish();
  await Promise.all(renders);
  await pool.close();
});

test('a worker is given to another account only when nothing of the first is left in it, and is waited for', async () => {
  const { held, render, pool, running } = await start();
  const first = render('a');
  await waitFor('it to begin', () => held.length === 1);
  held[0]!.finish();
  await first;
  const second = render('b');
  await new Promise(setImmediate);
  assert.equal(held.length, 1, 'the page of the first account is not discarded yet');
  held[0]!.discard();
  await waitFor('the second to begin', () => held.length === 2);
  assert.deepEqual([held[1]!.worker, [...running]], [1, [1]]);
  held[1]!.finish();
  await second;
  await pool.close();
});

test('there are never more workers than places', async () => {
  const { held, render, pool, running } = await start({ places: 2 });
  const renders = ['a', 'b'].map((account) => render(account));
  await waitFor('both to begin', () => held.length === 2);
  const third = render('c');
  await new Promise(setImmediate);
  assert.equal(held.length, 2);
  held[0]!.finish();
  held[0]!.discard();
  await waitFor('the third to begin', () => held.length === 3);
  assert.deepEqual([...running], [1, 2]);
  for (const one of held.slice(1)) one.finish();
  await Promise.all([...renders, third]);
  await pool.close();
});

test('accounts that wait get a worker in their order, and one that has left is passed over', async () => {
  const { held, render, pool } = await start({ places: 1 });
  const leaving = new AbortController();
  const first = render('a');
  const left = assert.rejects(render('b', leaving.signal));
  const others = [render('c'), render('d')];
  await waitFor('the first to begin', () => held.length === 1);
  leaving.abort(new Error('the client has left'));
  await left;
  for (let done = 0; done < 3; done += 1) {
    await waitFor('the next to begin', () => held.length === done + 1);
    held[done]!.finish();
    held[done]!.discard();
  }
  await Promise.all([first, ...others]);
  assert.equal(held.map(({ account }) => account).join(''), 'acd');
  await pool.close();
});

test('many accounts and few workers: no two accounts are ever in one worker at the same time', async () => {
  const { held, render, pool } = await start({ places: 3 });
  const inside = new Map<number, Map<string, number>>();
  let made = 0;
  const lanes = Array.from({ length: 3 }, async (_, lane) => {
    for (let round = 0; round < 60; round += 1) {
      const account = `account ${(lane * 7 + round * 5) % 11}`;
      const done = render(account);
      await waitFor('it to begin', () => held.some((one) => one.account === account));
      const [own] = held.splice(
        held.findIndex((one) => one.account === account),
        1,
      );
      const accounts = inside.get(own!.worker) ?? new Map<string, number>();
      inside.set(own!.worker, accounts);
      accounts.set(account, (accounts.get(account) ?? 0) + 1);
      assert.equal(accounts.size, 1, [...accounts.keys()].join());
      await new Promise(setImmediate);
      own!.finish();
      await done;
      await new Promise(setImmediate);
      const left = accounts.get(account)! - 1;
      if (left > 0) accounts.set(account, left);
      else accounts.delete(account);
      own!.discard();
      made += 1;
    }
  });
  await Promise.all(lanes);
  assert.equal(made, 180);
  await pool.close();
});

test('renders of one account that wait for a start wait for the same one', async () => {
  const { held, render, pool, starts, running } = await start();
  const busy = render('a');
  await waitFor('it to begin', () => held.length === 1);
  const slow = Promise.withResolvers<void>();
  starts.push(slow.promise);
  const renders = [render('b'), render('b'), render('b')];
  await new Promise(setImmediate);
  slow.resolve();
  await waitFor('all to begin', () => held.length === 4);
  assert.deepEqual([...running], [1, 2]);
  for (const one of held) one.finish();
  await Promise.all([busy, ...renders]);
  await pool.close();
});

test('a render that is cancelled while its worker starts leaves the worker idle', async () => {
  const { held, render, pool, starts } = await start();
  const busy = render('a');
  const slow = Promise.withResolvers<void>();
  starts.push(slow.promise);
  const stop = new AbortController();
  const cancelled = render('b', stop.signal);
  stop.abort(new Error('cancelled'));
  await assert.rejects(cancelled, /cancelled/);
  slow.resolve();
  await new Promise(setImmediate);
  const next = render('c');
  await waitFor('the next to begin', () => held.some(({ account }) => account === 'c'));
  assert.equal(held.find(({ account }) => account === 'c')!.worker, 2);
  for (const one of held) one.finish();
  await Promise.all([busy, next]);
  await pool.close();
});

test('a lost worker is replaced at once, and by the next render if that start fails', async () => {
  const { running, starts, lose, render, held, pool } = await start();
  lose(1);
  await waitFor('another to start', () => running.has(2));
  starts.push(Promise.reject(new Error('not enough processes')));
  lose(2);
  await new Promise(setImmediate);
  const made = render('a');
  await waitFor('it to begin', () => held.length === 1);
  held[0]!.finish();
  await made;
  assert.equal(running.size, 1);
  assert.deepEqual(pool.counts(), { started: 3, replaced: 0, lost: 2, idle: 0 });
  await pool.close();
  assert.equal(pool.counts().lost, 2, 'those that the pool ends are not lost');
});

test('a worn worker finishes its renders, takes no more, and ends', async () => {
  const { running, wear, render, held, pool } = await start();
  const both = [render('a'), render('a')];
  await waitFor('both to begin', () => held.length === 2);
  held[0]!.finish();
  await Promise.race(both);
  wear(1);
  const third = render('a');
  await waitFor('the third to begin', () => held.length === 3);
  assert.equal(held[2]!.worker, 2);
  assert.ok(running.has(1), 'its other render goes on');
  held[1]!.finish();
  await Promise.all(both);
  await waitFor('it to end', () => !running.has(1));
  held[2]!.finish();
  await third;
  await pool.close();
});

test('a worker is replaced by count: the replacement is there first', async () => {
  const { running, render, held, pool } = await start({ recycle: { renders: 1 } });
  const first = render('a');
  await waitFor('it to begin', () => held.length === 1);
  held[0]!.finish();
  await first;
  assert.deepEqual([...running], [1]);
  held[0]!.discard();
  await waitFor('the replacement', () => running.has(2) && !running.has(1));
  assert.deepEqual(pool.counts(), { started: 2, replaced: 1, lost: 0, idle: 0 });
  await pool.close();
  assert.deepEqual([...running], []);
});

test('all workers give way to a new one, also one whose start is under way; the new one is there first, and renders end where they run', async () => {
  const { held, render, pool, running, starts } = await start();
  const first = render('a');
  await waitFor('it to begin', () => held.length === 1);
  const begun = Promise.withResolvers<void>();
  const ready = Promise.withResolvers<void>();
  starts.push(begun.promise, ready.promise);
  const second = render('b');
  const renewed = pool.renew();
  assert.deepEqual([...running], [1], 'nothing ends before the new one is there');
  ready.resolve();
  begun.resolve();
  await renewed;
  const third = render('a');
  await waitFor('all to begin', () => held.length === 3);
  const workerOf = (account: string) =>
    held.filter((one) => one.account === account).map(({ worker }) => worker);
  assert.deepEqual(workerOf('a'), [1, 3]);
  for (const one of held) one.finish();
  await Promise.all([first, second, third]);
  await waitFor('the old ones to end', () => !running.has(1) && !running.has(2));
  assert.equal(pool.counts().replaced, 2);
  await pool.close();
});

test('the last worker ends when nobody has needed it for a time; the pool is well without it, and the next render starts one', async () => {
  const { running, held, render, pool } = await start({ restAfterMs: 1 });
  await waitFor('the first to rest', () => running.size === 0);
  await pool.check();
  assert.equal(running.size, 0, 'the check has started none');
  const rendering = render('a');
  await waitFor('the render to begin', () => held.length === 1);
  held[0]!.finish();
  await rendering;
  assert.deepEqual([...running], [2], 'it stays until nothing of the render is left in it');
  held[0]!.discard();
  await waitFor('the second to rest', () => running.size === 0);
  assert.deepEqual(pool.counts(), { started: 2, replaced: 0, lost: 0, idle: 2 });
  await pool.close();
});

test('spare workers do not keep the last one from its rest', async () => {
  const { running, held, render, pool } = await start({ restAfterMs: 200 });
  const renders = [render('a'), render('b')];
  await waitFor('both to begin', () => held.length === 2);
  assert.equal(running.size, 2);
  for (const one of held) {
    one.finish();
    one.discard();
  }
  await Promise.all(renders);
  await waitFor('both to end', () => running.size === 0);
  assert.equal(pool.counts().idle, 2);
  await pool.close();
});

test('after a start that failed the pool is not well, although its last worker was at rest', async () => {
  const { running, starts, render, pool } = await start({ restAfterMs: 1 });
  await waitFor('the first to rest', () => running.size === 0);
  const failure = () => Promise.reject(new Error('no such program'));
  starts.push(failure(), failure());
  await assert.rejects(render('a'), /could not be started/);
  await assert.rejects(pool.check(), /could not be started/);
  await pool.check();
  await pool.close();
});
