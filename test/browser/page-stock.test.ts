// Pages opened in advance: a few at a time, and the first that is ready goes to the render that has waited longest.
import assert from 'node:assert/strict';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { test } from 'node:test';
import { createPageStock } from '#browser/worker/page-stock.ts';

interface TestPage {
  number: number;
  isDead: boolean;
}

/** A browser whose pages open, or fail to open, when the test says so. */
function createStage(max: number) {
  const opening: PromiseWithResolvers<TestPage>[] = [];
  const discarded: number[] = [];
  let opened = 0;
  let maxAtOnce = 0;
  const stock = createPageStock<TestPage>({
    open() {
      const page = Promise.withResolvers<TestPage>();
      opening.push(page);
      maxAtOnce = Math.max(maxAtOnce, opening.length);
      return page.promise;
    },
    discard: async ({ number }) => discarded.push(number),
    isUsable: ({ isDead }) => !isDead,
    max,
    opensAtOnce: 2,
  });
  return {
    stock,
    discarded,
    pages: [] as TestPage[],
    get opening() {
      return opening.length;
    },
    get maxAtOnce() {
      return maxAtOnce;
    },
    async openOne() {
      const page = { number: (opened += 1), isDead: false };
      this.pages.push(page);
      opening.shift()?.resolve(page);
      await turnOfTheLoop();
    },
    async failOne() {
      opening.shift()?.reject(new Error('no page'));
      await turnOfTheLoop();
    },
  };
}

const never = new AbortController().signal;

test('two are opened at a time, and a render gets the first that is ready, whichever render it was opened for', async () => {
  const stage = createStage(3);
  const filled = stage.stock.fill();
  const first = stage.stock.take(never);
  const second = stage.stock.take(never);
  await stage.openOne();
  assert.equal((await first).number, 1);
  await stage.openOne();
  assert.equal((await second).number, 2);
  for (let count = 0; count < 3; count += 1) await stage.openOne();
  await filled;
  assert.deepEqual([stage.opening, stage.maxAtOnce], [0, 2]);
  for (const number of [3, 4, 5]) assert.equal((await stage.stock.take(never)).number, number);
});

test('a page that died while it waited is discarded', async () => {
  const stage = createStage(2);
  const filled = stage.stock.fill();
  await stage.openOne();
  await stage.openOne();
  await filled;
  stage.pages[0]!.isDead = true;
  assert.equal((await stage.stock.take(never)).number, 2);
  assert.deepEqual(stage.discarded, [1]);
});

test('a page that does not open fails one render, and the stock does not retry forever', async () => {
  const stage = createStage(2);
  const filled = stage.stock.fill();
  const first = assert.rejects(stage.stock.take(never), /no page/);
  const second = stage.stock.take(never);
  await stage.failOne();
  await first;
  await stage.openOne();
  assert.equal((await second).number, 1);
  await stage.failOne();
  await stage.failOne();
  await filled;
  assert.equal(stage.opening, 0);
});

test('a cancelled render leaves the queue, and its page goes to the next', async () => {
  const stage = createStage(0);
  const caller = new AbortController();
  const first = stage.stock.take(caller.signal);
  const second = stage.stock.take(never);
  caller.abort(new Error('hung up'));
  await assert.rejects(first, /hung up/);
  await stage.openOne();
  assert.equal((await second).number, 1);
});

test('a page that opens after the end is discarded', async () => {
  const stage = createStage(2);
  const filled = stage.stock.fill();
  await stage.openOne();
  assert.deepEqual(
    stage.stock.end().map(({ number }) => number),
    [1],
  );
  await stage.openOne();
  await filled;
  assert.deepEqual([stage.discarded, stage.opening], [[2], 0]);
});
