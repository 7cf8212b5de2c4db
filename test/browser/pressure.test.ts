// Pages that take more than their share of memory or of the browser process: they fail, and other renders do not. Spec 7
// (capture_failed).
import assert from 'node:assert/strict';
import { getPriority } from 'node:os';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Phases } from '#core/phases.ts';
import { RenderFailure } from '#browser/browser.ts';
import type { MemoryLimits } from '#browser/process/browser-watch.ts';
import { startTestBrowser, type TestBrowser } from '#lab/support/browser.ts';
import { type PageServer, startPageServer } from '#lab/support/page-server.ts';
import { browsers, descendants } from '#lab/support/process-table.ts';
import { waitFor } from '#lab/support/wait-for.ts';

const MiB = 1024 ** 2;
const green = '<!doctype html><body style="margin:0;background:#00a000">';
const isWatched = process.platform === 'linux';
const skip = isWatched ? false : 'processes are watched through /proc, which only Linux has';
let sites: PageServer[];
let kit: TestBrowser;

before(async () => {
  // Each address is its own site, so every frame gets a process.
  sites = await Promise.all(
    [1, 2, 3, 4, 5].map((last) =>
      startPageServer({ '/never': () => {}, '/sibling': `${green}<p>fine` }, { address: `127.0.0.${last}` }),
    ),
  );
  // Small, so that a page reaches them within its budget on a busy machine too. A process without a page has 70 MiB at most.
  kit = await startBrowser({
    pageBytes: 200 * MiB,
    renderBytes: 400 * MiB,
    browserBytes: 250 * MiB,
    leftBytes: () => Infinity,
  });
});
after(async () => {
  await kit.close();
  await Promise.all(sites.map((site) => site.close()));
});

const startBrowser = (memory: MemoryLimits) =>
  startTestBrowser(
    sites.map(({ host }) => host),
    { concurrency: 4, memory },
  );

/** Renders the page, and another one from start to end. */
async function withSiblings(page: string, { shoot } = kit): Promise<unknown> {
  const [first] = sites;
  let isDone = false;
  const render = shoot(first!.route('/page', page), { width: 320, height: 320 })
    .catch((error: unknown) => error)
    .finally(() => (isDone = true));
  let made = 0;
  while (!isDone) {
    await shoot(`${first!.base}/sibling`, { width: 320, height: 320 });
    made += 1;
    // Often enough to hit every moment of the page's life.
    await delay(200);
  }
  assert.ok(made > 0);
  return render;
}

const pageEnded = 'the page kept the browser from its other work, and was ended';
const browserEnded = 'the browser was ended for what a page did';
const messages = () => kit.logged.map(({ message }) => message);
const stopped = () => descendants().filter(({ isStopped }) => isStopped);

/**
 * On a busy machine a page is too slow to get ahead of the browser, which has the higher priority. So the browser is held up, longer
 * each time, until the page's calls pile up. False if the render ended before.
 */
async function isPausedInTime(render: Promise<unknown>): Promise<boolean> {
  let isDone = false;
  const end = () => (isDone = true);
  render.then(end, end);
  // No longer than a second and a half: a browser that does not answer for long is ended.
  for (let holdMs = 100; !isDone; holdMs = Math.min(1_500, 2 * holdMs)) {
    if (stopped().length > 0) return true;
    const [{ pid } = assert.fail('there is no browser')] = browsers();
    process.kill(pid, 'SIGSTOP');
    await delay(holdMs);
    process.kill(pid, 'SIGCONT');
    for (let looks = 0; looks < 20 && stopped().length === 0; looks += 1) await delay(50);
  }
  return false;
}

function assertEnded(outcome: unknown, message: RegExp): void {
  assert.ok(outcome instanceof RenderFailure, 'the page was drawn');
  assert.match(outcome.message, message);
}

/** On a very busy machine, a page may need more than one attempt to take that much within its budget. */
async function assertTooLarge(page: string): Promise<void> {
  let outcome: unknown;
  for (let attempts = 0; attempts < 4; attempts += 1) {
    outcome = await withSiblings(page);
    if (!(outcome instanceof RenderFailure) || outcome.reason !== 'timed_out') break;
  }
  assertEnded(outcome, /exceeded the memory limit of a render/);
}

const frames = (path: string, count = 4) =>
  sites
    .slice(1, 1 + count)
    .map(({ base }) => `<iframe src="${base}${path}"></iframe>`)
    .join('');
const hold = `${green}<script>onload = () => { hold = new Uint8Array(${130 * MiB}).fill(1) }</script>`;

test(
  'the memory of all frames of a page counts as one: with requests that tell whose they are',
  { skip },
  async () => {
    for (const site of sites)
      site.route('/frame', `${hold}<script>fetch('data:,x'); fetch('/never')</script>`);
    await assertTooLarge(`${green}${frames('/frame')}<img src="/never">`);
  },
);

test('the memory of frames that make no requests counts too', { skip }, async () => {
  for (const site of sites) site.route('/frame', hold);
  await assertTooLarge(`${green}${frames('/frame')}<img src="/never">`);
});

test(
  'a page within its limit ends if it needs more than twice what the machine has left',
  { skip },
  async () => {
    for (const site of sites) site.route('/frame', hold);
    const most = 4096 * MiB;
    const other = await startBrowser({
      pageBytes: most,
      renderBytes: most,
      browserBytes: most,
      leftBytes: () => 64 * MiB,
    });
    try {
      const page = `${green}${frames('/frame')}<img src="/never">`;
      assertEnded(await withSiblings(page, other), /needed more memory than there is left/);
    } finally {
      await other.close();
    }
  },
);

test('blobs, which the browser process keeps, count for the page that makes them', { skip }, async () => {
  const page = `${green}<img src="/never"><script>const hold = [];
    setInterval(() => { if (hold.length < 100) hold.push(new Blob([new Uint8Array(${32 * MiB}).fill(hold.length)])) }, 5)</script>`;
  await assertTooLarge(page);
});

test(
  'textures, which the process that draws keeps, count for the page that makes them',
  { skip },
  async () => {
    const page = `${green}<img src="/never"><script>const g = document.createElement('canvas').getContext('webgl'), hold = [];
    setInterval(() => { if (hold.length === 60) return; const buffer = g.createBuffer(); hold.push(buffer);
    g.bindBuffer(g.ARRAY_BUFFER, buffer); g.bufferData(g.ARRAY_BUFFER, ${64 * MiB}, g.STATIC_DRAW); g.finish() }, 5)</script>`;
    await assertTooLarge(page);
  },
);

test(
  'a page that floods the browser process is paused until the browser has caught up, and then continues',
  { skip },
  async () => {
    const log = `for (let i = 0; i < 2_000; i++) console.log('text '.repeat(100), i)`;
    const page = `${green}<script>let isFlooding = true; fetch('/enough').then(() => (isFlooding = false));
      (function flood() { ${log}; if (isFlooding) setTimeout(flood) })()</script>`;
    const before = messages().length;
    let isPaused = false;
    for (let attempts = 0; attempts < 8 && !isPaused; attempts += 1) {
      const enough = Promise.withResolvers<void>();
      sites[0]!.route('/enough', (_request, response) => void enough.promise.then(() => response.end()));
      const render = withSiblings(page);
      isPaused = await isPausedInTime(render);
      enough.resolve();
      assert.ok(!((await render) instanceof Error), 'the page was drawn in the end');
    }
    assert.ok(isPaused);
    assert.ok(messages().includes('a page floods the browser and is paused'));
    assert.ok(!messages().slice(before).includes(browserEnded));
  },
);

test('a paused page ends with its render', { skip }, async () => {
  const endless = `${green}<script>for (;;) console.log('text '.repeat(100))</script>`;
  const url = sites[0]!.route('/endless', endless);
  for (let attempts = 0; attempts < 4; attempts += 1) {
    const stop = new AbortController();
    const render = kit.shoot(url, { width: 320, height: 320 }, stop.signal);
    const isPaused = await isPausedInTime(render);
    stop.abort();
    if (isPaused) await assert.rejects(render, /cancelled/);
    await waitFor('its process to end', () => stopped().length === 0);
    if (isPaused) return;
  }
  assert.fail('the page was never paused');
});

test(
  'a page whose calls keep the browser too busy is ended, and tried again in a browser of its own',
  { skip },
  async () => {
    const page = `${green}<script>for (let i = 0; ; i++) new Worker('data:text/javascript,1').terminate()</script>`;
    assertEnded(await withSiblings(page), /kept the browser from its other work|did not load within/);
    assert.ok(messages().some((message) => [pageEnded, browserEnded].includes(message)));
    assert.ok(messages().includes('a render lost its browser and is tried once more'));
  },
);

test('a page may try to open some windows, and none is opened; one that does not stop is ended', async () => {
  const [first] = sites;
  const some = `${green}<script>for (let i = 0; i < 20; i++) window.open('/never')</script>`;
  await kit.shoot(first!.route('/some', some), { width: 320, height: 320 });
  const endless = `${green}<script>setInterval(() => { for (let i = 0; i < 1000; i++) window.open('/never') })</script>`;
  assertEnded(await withSiblings(endless), /^the page tried to open more than 20 windows$/);
  const links = `${green}<a id=a target=_blank href=/never>x</a><script>setInterval(() => a.click())</script>`;
  assertEnded(await withSiblings(links), /^the page tried to open more than 20 windows$/);
});

test('after a page exhausted shared resources, its account gets a separate browser for the next; others do not', async () => {
  const held = Promise.withResolvers<() => void>();
  const [first] = sites;
  const endless = first!.route('/endless', `${green}<script>for (;;) window.open('/never')</script>`);
  const waiting = first!.route('/waiting', (_request, response) =>
    held.resolve(() => response.setHeader('content-type', 'text/html').end(green)),
  );
  const size = { width: 320, height: 320 };
  await assert.rejects(kit.shoot(endless, { ...size, account: 'hostile' }), /more than 20 windows/);
  // None if the last one was lost and a new one did not start on a busy machine: then the next render starts it.
  await waitFor('the page to be discarded', () => browsers().length <= 1);
  await kit.shoot(`${first!.base}/sibling`, { ...size, account: 'other' });
  const render = kit.shoot(waiting, { ...size, account: 'hostile' });
  const letGo = await held.promise;
  const both = browsers();
  assert.equal(both.length, 2);
  if (isWatched) {
    const [usual, low] = both.map(({ pid }) => getPriority(pid)).toSorted((a, b) => a - b);
    assert.equal(low, Math.min(19, Math.max(0, getPriority()) + 10));
    assert.ok(usual! < low, `${usual} is not below ${low}`);
  }
  letGo();
  await render;
  await waitFor('its browser to end', () => browsers().length === 1);
});

test('while another account renders, an account takes one picture of more than 4 megapixels at a time', async () => {
  const url = `${sites[0]!.base}/sibling`;
  let [capturing, most] = [0, 0];
  function countCaptures(): Phases {
    let phase = '';
    const to = (next: string) => {
      capturing += Number(next === 'capture') - Number(phase === 'capture');
      most = Math.max(most, capturing);
      phase = next;
    };
    return { begin: to, end: () => to(''), measuredMs: {} };
  }
  await kit.shoot(url, { width: 320, height: 320, account: 'other' });
  const renders = Array.from({ length: 4 }, () => {
    const phases = countCaptures();
    return kit
      .shoot(url, { width: 2_400, height: 2_000, account: 'large', phases })
      .finally(() => phases.end());
  });
  await Promise.all(renders);
  assert.equal(most, 1);
});
