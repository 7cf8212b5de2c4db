// The life of the browser process: replaced in time, restarted at once if it is killed, and removed without a trace.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { RenderFailure } from '#browser/browser.ts';
import { sweepScratchFolders } from '#browser/process/scratch-folder.ts';
import { browserUser } from '#browser/process/unprivileged.ts';
import { chromiumUnderTest, startTestBrowser, type OwnTestBrowser } from '#test/support/browser.ts';
import { startPageServer } from '#test/support/page-server.ts';
import type { PageServer } from '#test/support/page-server.ts';
import {
  browsers,
  descendants,
  groupMembers,
  nicenessOf,
  scratchFolders,
  statusOf,
  workerOf,
  workers,
} from '#test/support/process-table.ts';
import { waitFor } from '#test/support/wait-for.ts';

let server: PageServer;
/** Temporary files of this test only: another service running at the same time sweeps the common folder. */
const temporary = mkdtempSync(join(tmpdir(), 'tintype-test-'));

before(async () => {
  // Like the common folder: the browser runs as another user.
  chmodSync(temporary, 0o1777);
  process.env['TMPDIR'] = temporary;
  server = await startPageServer({
    '/page': '<!doctype html><body style="background:#00a000"><p>page',
    '/silent': () => {},
  });
});
after(async () => {
  await server.close();
  rmSync(temporary, { recursive: true, force: true });
});

describe('a browser at rest', () => {
  let kit: OwnTestBrowser;
  before(async () => {
    kit = await startTestBrowser([server.host]);
  });
  after(() => kit.close());

  test('reports its version', async () => {
    const { about } = kit.browser;
    const chromium = await chromiumUnderTest();
    assert.equal(about.name, chromium.kind === 'full' ? 'Chromium' : 'chrome-headless-shell');
    assert.match(about.version, /^\d+\.\d+\.\d+\.\d+$/);
    assert.deepEqual([about.path, about.source], [chromium.executable, chromium.source]);
    assert.deepEqual([about.sandboxed, about.sandboxProblem, about.blankScripts], [true, null, []]);
    assert.equal(kit.logged.filter(({ message }) => message === 'the browser is ready').length, 1);
    await kit.browser.check();
  });

  test('has no pages but those that are kept ready', async (context) => {
    if ((await chromiumUnderTest()).kind === 'full')
      return context.skip('a full Chromium keeps its first page');
    const pages = () => descendants().filter(({ command }) => command.includes('--type=renderer'));
    await waitFor('the first page of the browser is closed', () => pages().length === 2);
  });

  test('is in the process group of its worker, in a session of its own, with less weight than the service', () => {
    const [worker] = workers();
    const [browser] = browsers();
    const members = groupMembers(worker!.pid);
    assert.ok(members.some(({ pid }) => pid === browser!.pid));
    assert.ok(members.filter(({ command }) => command.includes('--type=renderer')).length > 1);
    assert.deepEqual(new Set(members.map(({ session }) => session)), new Set([worker!.pid]));
    const lower = Math.min(19, Math.max(0, nicenessOf(process.pid)) + 3);
    for (const { pid } of members) assert.ok(nicenessOf(pid) >= lower, `${pid} has ${nicenessOf(pid)}`);
    const grouping = '/proc/self/autogroup';
    if (existsSync(grouping))
      assert.match(readFileSync(`/proc/${worker!.pid}/autogroup`, 'latin1'), / nice 3\n$/);
  });

  test(
    'of a service that runs as root: its worker is another user, and it is a third',
    { skip: process.getuid?.() === 0 ? false : 'only root can start processes of other users' },
    () => {
      const uidOf = (pid: number) => /^Uid:\t(\d+)\t(\d+)\t(\d+)/m.exec(statusOf(pid))?.slice(1);
      const [worker] = workers();
      assert.deepEqual(uidOf(worker!.pid), ['65533', '65533', '65533']);
      assert.match(statusOf(worker!.pid), /^CapEff:\t0+$/m);
      assert.match(statusOf(worker!.pid), /^Groups:\t\s*$/m);
      assert.deepEqual(uidOf(browsers()[0]!.pid), ['65534', '65534', '65534']);
    },
  );

  test('leaves nothing behind when it is closed', async () => {
    await kit.close();
    assert.deepEqual([browsers(), scratchFolders()], [[], []]);
  });
});

test('a browser killed with -9: the render is made on another, and the next one too', async () => {
  const kit = await startTestBrowser([server.host]);
  try {
    let hits = 0;
    const firstHit = Promise.withResolvers<void>();
    server.route('/once', (_, response) => {
      hits += 1;
      if (hits === 1) firstHit.resolve();
      else response.setHeader('content-type', 'text/html').end('<p>second time');
    });
    const render = kit.shoot(`${server.base}/once`);
    await firstHit.promise;
    const [killed] = browsers();
    process.kill(killed!.pid, 'SIGKILL');
    await render;
    assert.equal(hits, 2);
    await kit.shoot(`${server.base}/page`);
    await kit.browser.check();
    await waitFor('no process of the killed browser is left', () => groupMembers(killed!.group).length === 0);
    // Its own folder, and not the number of folders: renders that take a second bring a spare worker.
    const [, folder] = /--user-data-dir=(\S+)\/profile/.exec(killed!.command)!;
    await waitFor('its folder is gone', () => !existsSync(folder!));
    assert.ok(browsers().length > 0);
  } finally {
    await kit.close();
  }
});

test('a worker that is killed leaves its compiled code, so the next one needs no memory to compile', async (context) => {
  if (process.platform !== 'linux') return context.skip('memory is read from /proc, which only Linux has');
  const script = `
    const { startTestBrowser } = await import(${JSON.stringify(join(import.meta.dirname, '..', 'support', 'browser.ts'))});
    await startTestBrowser([]);
    console.log('ready');
    setInterval(() => {}, 1000);`;
  const anonymousKiB: number[] = [];
  for (let round = 0; round < 2; round += 1) {
    const service = spawn(process.execPath, ['--input-type=module', '-e', script], {
      env: { ...process.env, NODE_COMPILE_CACHE: join(temporary, 'compiled') },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(service.stdout, 'data');
    const [worker] = workers(service.pid);
    anonymousKiB.push(Number(/^RssAnon:\s+(\d+)/m.exec(statusOf(worker!.pid))?.[1]));
    service.kill('SIGKILL');
    await once(service, 'exit');
  }
  const [first, second] = anonymousKiB;
  assert.ok(second! < first! - 10 * 1024, anonymousKiB.join(' and '));
});

test('a render whose second browser is lost too fails, and does not hang', async () => {
  const kit = await startTestBrowser([server.host]);
  try {
    server.route('/twice', (request) => {
      const { group } = workerOf(request)!;
      process.kill(browsers().find((browser) => browser.group === group)!.pid, 'SIGKILL');
    });
    await assert.rejects(
      kit.shoot(`${server.base}/twice`),
      (error: RenderFailure) => error.reason === 'crashed',
    );
    await kit.shoot(`${server.base}/page`);
  } finally {
    await kit.close();
  }
});

test('page processes that die fail only their own render; prepared pages that died are skipped', async () => {
  const kit = await startTestBrowser([server.host]);
  try {
    const [browser] = browsers();
    const asked = new Promise<void>((resolve) => server.route('/crash', () => resolve()));
    const render = kit.shoot(server.route('/crashing', '<!doctype html><p>text<img src="/crash">'));
    await asked;
    const renderers = descendants().filter(({ command }) => command.includes('--type=renderer'));
    for (const { pid } of renderers) process.kill(pid, 'SIGKILL');
    await assert.rejects(render, (error: RenderFailure) => error.reason === 'crashed' && !error.browserLost);
    await kit.shoot(`${server.base}/page`);
    assert.ok(
      browsers().some(({ pid }) => pid === browser!.pid),
      'the browser itself went on',
    );
  } finally {
    await kit.close();
  }
});

test('a browser is replaced by count: its replacement is ready first, renders under way finish', async () => {
  const kit = await startTestBrowser([server.host], { recycle: { renders: 4 } });
  try {
    const [first] = browsers();
    const asked = new Promise<ServerResponse>((resolve) => {
      server.route('/held', (_, response) => resolve(response));
    });
    const held = kit.shoot(`${server.base}/held`);
    // If an assertion below fails, that failure must be reported, and not this one, which follows from it.
    held.catch(() => {});
    const answer = await asked;
    for (let render = 0; render < 4; render += 1) await kit.shoot(`${server.base}/page`);
    await waitFor('a replacement runs next to the first', () => browsers().length > 1);
    await waitFor('renders go to the successor', () =>
      kit.logged.some(({ message }) => message === 'a render worker is replaced'),
    );
    await kit.shoot(`${server.base}/page`);
    assert.ok(
      browsers().some(({ pid }) => pid === first!.pid),
      'the first waits for its render',
    );
    answer.setHeader('content-type', 'text/html').end('<p>held');
    await held;
    await waitFor('the first is gone', () => !browsers().some(({ pid }) => pid === first!.pid));
  } finally {
    await kit.close();
  }
});

test('pages discarded at any moment leave no timer behind', async () => {
  const timersBefore = activeTimers();
  const kit = await startTestBrowser([server.host]);
  try {
    // It moves forever, so its clock runs for as long as it is observed.
    const url = server.route(
      '/moving',
      '<!doctype html><p>text<script>setInterval(() => document.body.append(1), 20)</script>',
    );
    await Promise.allSettled(
      Array.from({ length: 24 }, (_, index) =>
        kit.shoot(url, { fullPage: true }, AbortSignal.timeout(600 + index * 100)),
      ),
    );
  } finally {
    await kit.close();
  }
  await waitFor('no timer is left of any page', () => activeTimers() <= timersBefore);
});

function activeTimers(): number {
  // The timer that `until` itself waits on is not counted: it has fired by then.
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
}

/** Root may remove anything except a mount point. */
function makeUnremovable(folder: string): () => void {
  const held = join(folder, 'held');
  mkdirSync(held);
  if (process.getuid?.() === 0) {
    execFileSync('mount', ['-t', 'tmpfs', 'none', held]);
    return () => execFileSync('umount', [held]);
  }
  writeFileSync(join(held, 'file'), '');
  chmodSync(held, 0o500);
  return () => chmodSync(held, 0o700);
}

test('a folder that cannot be removed is logged, does no harm, and is removed with the next one', async (context) => {
  const kit = await startTestBrowser([server.host], { concurrency: 1 });
  let isClosed = false;
  context.after(() => (isClosed ? undefined : kit.close()));
  const [name] = scratchFolders();
  const release = makeUnremovable(join(temporary, name!));
  process.kill(browsers()[0]!.pid, 'SIGKILL');
  await kit.shoot(`${server.base}/page`);
  const isTold = () => kit.logged.some(({ message }) => message.includes('could not be removed yet'));
  await waitFor('a line in the log', isTold);
  assert.ok(scratchFolders().includes(name!));
  release();
  await kit.close();
  isClosed = true;
  assert.deepEqual(scratchFolders(), []);
});

test('a service killed with -9 leaves no browser, not even one that does not react, and the next start sweeps its folder', async () => {
  const script = `
    const { startTestBrowser } = await import(${JSON.stringify(join(import.meta.dirname, '..', 'support', 'browser.ts'))});
    await startTestBrowser([]);
    console.log('ready');
    setInterval(() => {}, 1000);`;
  const service = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(service.stdout, 'data');
  const [browser] = browsers(service.pid);
  // A browser that a page keeps busy does not notice that its pipe is closed.
  process.kill(browser!.pid, 'SIGSTOP');
  service.kill('SIGKILL');
  await once(service, 'exit');
  await waitFor('no process of its browser is left', () => groupMembers(browser!.group).length === 0);
  const swept = await sweepScratchFolders(temporary, browserUser());
  assert.ok(swept >= 1, `${swept} swept`);
  assert.deepEqual(scratchFolders(), []);
});
