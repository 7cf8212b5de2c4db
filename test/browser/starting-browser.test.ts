// A service answers before its browser has started: what needs no browser works, a render waits, and /readyz says what is missing.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Browser, Rendered } from '#browser/browser.ts';
import type { Job } from '#browser/job.ts';
import { startingBrowser } from '#browser/starting-browser.ts';
import { shellScript } from '#test/support/fake-source.ts';
import { spawnServe, temporaryFolder } from '#test/support/processes.ts';
import { idleBrowser } from '#test/support/stand-in-browser.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { openFolder } from './fetch-kit.ts';

const never = new AbortController().signal;
const job = { timeoutMs: 600_000 } as Job;
const rendered = {} as Rendered;

test('a render waits until the browser has started, or its client has gone; nothing is said of the browser before', async () => {
  const opening = Promise.withResolvers<Browser>();
  const browser = startingBrowser(opening.promise);
  const waiting = browser.render(job, never);
  assert.equal(browser.about, null);
  assert.equal(browser.workerCounts().started, 0);
  await browser.renew();
  await assert.rejects(browser.check(), /the browser is starting/);
  const client = new AbortController();
  const left = browser.render(job, client.signal);
  client.abort();
  await assert.rejects(left, { reason: 'aborted' });
  opening.resolve({ ...idleBrowser, render: () => Promise.resolve(rendered) });
  assert.equal(await waiting, rendered);
  assert.equal(await browser.started, idleBrowser.about);
  await browser.check();
  assert.equal(browser.about, idleBrowser.about);
});

test('a browser that cannot be started fails what waits for it, with the reason', async () => {
  const browser = startingBrowser(Promise.reject(new Error('no browser was found')));
  await assert.rejects(browser.render(job, never), /no browser was found/);
  await assert.rejects(browser.started, /no browser was found/);
  await browser.close();
});

test('one that is ready after the service has ended is closed', async () => {
  const opening = Promise.withResolvers<Browser>();
  const closed = Promise.withResolvers<void>();
  const browser = startingBrowser(opening.promise);
  await browser.close();
  opening.resolve({
    ...idleBrowser,
    render: () => Promise.resolve(rendered),
    close: async () => closed.resolve(),
  });
  await closed.promise;
});

test('the process answers while its browser starts, and is ready when it has', async () => {
  using folder = openFolder();
  const { path, remove } = await temporaryFolder();
  const shell = join(folder.path, 'chrome-headless-shell');
  const permission = join(folder.path, 'may-start');
  const [head = '', ...rest] = (await shellScript('158.0.1.2')).split('\n');
  const wait = `while [ ! -e '${permission}' ]; do sleep 0.1; done`;
  // The second line answers --version.
  writeFileSync(shell, [head, rest[0], wait, ...rest.slice(1)].join('\n'), { mode: 0o755 });
  const serving = await spawnServe({ DATA_DIR: path, CHROMIUM_PATH: shell });
  const ask = async (probe: string) => {
    const response = await fetch(serving.origin + probe).catch(() => undefined);
    return { status: response?.status, body: (await response?.json()) as object };
  };
  try {
    await waitFor('an answer', async () => (await ask('/healthz')).status === 200);
    const parts = { database: 'ok', storage: 'ok' };
    assert.deepEqual(await ask('/readyz'), {
      status: 503,
      body: { status: 'not ready', ...parts, browser: 'failing' },
    });
    writeFileSync(permission, '');
    await waitFor('the browser', async () => (await ask('/readyz')).status === 200);
  } finally {
    assert.equal((await serving.end()).code, 0);
    await remove();
  }
});
