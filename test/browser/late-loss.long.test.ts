// A render that loses its browser when there is no time for a second attempt: its account gets separate browsers from then on.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { limits } from '#core/limits.ts';
import { startTestBrowser } from '#lab/support/browser.ts';
import { startPageServer } from '#lab/support/page-server.ts';
import { browsers } from '#lab/support/process-table.ts';
import { waitFor } from '#lab/support/wait-for.ts';

test('an account whose render loses its browser too late for a second attempt is kept apart', async () => {
  const site = await startPageServer({ '/never': () => {} });
  const kit = await startTestBrowser([site.host]);
  const html = '<!doctype html><p>text';
  try {
    const startedAt = performance.now();
    // Arrives late each time, and works without end from then on, so it is still being rendered near the end of its time.
    const late = site.route('/late', (_request, response) => {
      const page = `${html}<script>onload = () => setTimeout(() => { for (;;); })</script>`;
      setTimeout(
        () => response.setHeader('content-type', 'text/html').end(page),
        limits.navigationMs - 2_000,
      );
    });
    const render = assert.rejects(kit.shoot(late, { account: 'late' }), /the browser was lost/);
    await delay(limits.screenshotTotalMs - 3_000 - (performance.now() - startedAt));
    const [browser] = browsers();
    process.kill(-browser!.pid, 'SIGKILL');
    await render;
    await waitFor('another browser', () => browsers().length === 1);
    const held = Promise.withResolvers<() => void>();
    const url = site.route('/held', (_request, response) =>
      held.resolve(() => response.setHeader('content-type', 'text/html').end(html)),
    );
    const next = kit.shoot(url, { account: 'late' });
    const letGo = await held.promise;
    assert.equal(browsers().length, 2);
    letGo();
    await next;
  } finally {
    await kit.close();
    await site.close();
  }
});
