// Our own scripts in a page: one that does not end is stopped, and none waits for the time of the page.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openEgressDoor, type Door } from '#wall/door.ts';
import { evaluateInWorld, openWorld } from '#browser/page/isolated-world.ts';
import { openPage, type Page } from '#browser/page/page.ts';
import type { ChromiumProcess } from '#browser/process/chromium-process.ts';
import { launchBareChromium } from '#test/support/bare-chromium.ts';

const { signal } = new AbortController();
let process: ChromiumProcess;
let door: Door;
let page: Page;

before(async () => {
  process = await launchBareChromium();
  door = await openEgressDoor();
  page = await openPage({ process, door, viewport: { width: 320, height: 320 } }, signal);
});
after(async () => {
  await page.dispose(signal);
  await process.close();
  await door.close();
});

test('an expression that does not end, or throws, gives nothing, and the next one is answered', async () => {
  const evaluate = (expression: string) => evaluateInWorld(page, expression, 200, signal);
  assert.equal(await evaluate('for (;;);'), undefined);
  assert.equal(await evaluate('null.member'), undefined);
  assert.equal(await evaluateInWorld(page, '1 + 1', 60_000, signal), 2);
});

test('a page whose clock stands still is scrolled to its start at once', async () => {
  const world = await openWorld(page, signal);
  await page.clock.runAhead(1000, { isOver: () => false, isStuck: () => false }, signal);
  page.clock.stop();
  // The browser's own promise has a value; on some pages it is never fulfilled.
  assert.equal(await world.run('toStart', [], AbortSignal.timeout(15_000)), undefined);
});
