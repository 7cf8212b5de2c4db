// However browsers are lost and replaced, one is left. Its hosts are stand-ins, because the moments cannot be chosen with a real browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPool } from '#browser/pool.ts';
import type { Host } from '#browser/host.ts';
import type { Page } from '#browser/page/page.ts';
import type { ChromiumProcess } from '#browser/process/chromium-process.ts';
import { waitFor } from '#lab/support/wait-for.ts';

const never = new AbortController().signal;
const page = {} as Page;

async function start() {
  const running = new Set<number>();
  /** What the next launches wait for; a rejection is a start that fails. */
  const launches: Promise<void>[] = [];
  const lose = new Map<number, () => void>();
  let count = 0;
  let isDisposed = true;

  async function launch(): Promise<ChromiumProcess> {
    await launches.shift();
    const pid = (count += 1);
    const gone = new AbortController();
    const end = () => {
      running.delete(pid);
      gone.abort(new Error('lost'));
    };
    running.add(pid);
    lose.set(pid, end);
    return { pid, gone: gone.signal, startedAt: performance.now(), close: async () => end() } as never;
  }

  const createHost = (process: ChromiumProcess): Host =>
    ({
      process,
      served: 0,
      active: 0,
      browserBytes: 0,
      take: async () => page,
      dispose: async () => isDisposed,
      stock: async () => {},
      check: async () => true,
      retire: () => process.close(),
    }) as never;

  const silent = { info() {}, warn() {}, error() {} };
  const recycle = { renders: Infinity, ageMs: Infinity, browserBytes: Infinity };
  const pool = await createPool({ launch, createHost, recycle, log: silent });
  return {
    running,
    launches,
    lose: (pid: number) => lose.get(pid)!(),
    render: () => pool.lend(never, async () => 'drawn'),
    answerDisposals: (answer: boolean) => (isDisposed = answer),
  };
}

test('renders that wait for a browser that does not start start one more, not one each', async () => {
  const { running, launches, lose, render } = await start();
  const first = Promise.withResolvers<void>();
  launches.push(first.promise);
  lose(1);
  const renders = [render(), render(), render()];
  await new Promise(setImmediate);
  first.reject(new Error('not enough processes'));
  assert.deepEqual(await Promise.all(renders), ['drawn', 'drawn', 'drawn']);
  assert.deepEqual([...running], [2]);
});

test('a browser that is lost while its successor starts leaves one browser', async () => {
  const { running, launches, lose, render, answerDisposals } = await start();
  const successor = Promise.withResolvers<void>();
  launches.push(successor.promise);
  answerDisposals(false);
  await render();
  await waitFor('the successor to start', () => launches.length === 0);
  answerDisposals(true);
  lose(1);
  assert.equal(await render(), 'drawn');
  successor.resolve();
  await waitFor('one of the two to end', () => running.size === 1 && !running.has(3));
  assert.equal(await render(), 'drawn');
  assert.deepEqual([...running], [2]);
});
