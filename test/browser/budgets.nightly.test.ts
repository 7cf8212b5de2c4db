// Pages that use a CPU core without end are given up in time while an ordinary page renders. Each runs for 25 s, so `npm test`
// uses pages that hang without CPU work instead (budgets.test.ts). Spec 4.3, 4.4.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { RenderFailure } from '#browser/browser.ts';
import { limits } from '#core/limits.ts';
import { useTestBrowser } from '#test/support/browser.ts';
import type { TestBrowser } from '#test/support/browser.ts';
import { startPageServer } from '#test/support/page-server.ts';
import type { PageServer } from '#test/support/page-server.ts';
import { testGivenUp } from './endless.ts';

let server: PageServer;
let kit: TestBrowser;

before(async () => {
  server = await startPageServer({ '/fine': '<!doctype html><p>fine' });
  kit = await useTestBrowser([server.host]);
});
after(() => server.close());

describe('budgets of busy pages', { concurrency: 4 }, () => {
  testGivenUp(
    [{ title: 'an endless loop', route: '<!doctype html><script>for (;;);</script>' }],
    limits.navigationMs,
    () => ({
      kit,
      server,
    }),
  );

  test('4.3 a loop that begins after the load event is given up long before the total', async () => {
    const url = server.route(
      '/loop-late',
      '<!doctype html><p>text<script>onload = () => setTimeout(() => { for (;;); }, 0)</script>',
    );
    const startedAt = performance.now();
    await assert.rejects(kit.shoot(url), (error: RenderFailure) => error.reason === 'timed_out');
    assert.ok(performance.now() - startedAt < limits.screenshotTotalMs);
  });

  test('an ordinary page is drawn at the same time', async () => {
    for (let count = 0; count < 5; count += 1) await kit.shoot(`${server.base}/fine`);
  });
});
