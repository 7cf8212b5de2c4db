// Pages that use a processor without end are given up in time, beside a page that is fine. They use it for 25 s each, so `npm test` has
// pages that hang without work in their place (budgets.test.ts). Spec 4.3, 4.4.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { RenderFailure } from '#browser/browser.ts';
import { limits } from '#core/limits.ts';
import { startTestBrowser } from '#lab/support/browser.ts';
import type { TestBrowser } from '#lab/support/browser.ts';
import { startPageServer } from '#lab/support/page-server.ts';
import type { PageServer } from '#lab/support/page-server.ts';
import { testGivenUp } from './endless.ts';

let server: PageServer;
let kit: TestBrowser;

before(async () => {
  server = await startPageServer({ '/fine': '<!doctype html><p>fine' });
  kit = await startTestBrowser([server.host], { concurrency: 4 });
});
after(async () => {
  await kit.close();
  await server.close();
});

describe('budgets of busy pages', { concurrency: 4 }, () => {
  testGivenUp([{ title: 'an endless loop', route: '<!doctype html><script>for (;;);</script>' }], () => ({
    kit,
    server,
  }));

  test('4.3 a loop that begins after the load event is given up long before the total', async () => {
    const url = server.route(
      '/loop-late',
      '<!doctype html><p>text<script>onload = () => setTimeout(() => { for (;;); }, 0)</script>',
    );
    const startedAt = performance.now();
    await assert.rejects(kit.shoot(url), (error: RenderFailure) => error.reason === 'timed_out');
    assert.ok(performance.now() - startedAt < limits.screenshotTotalMs);
  });

  test('a page that is fine is drawn beside all of them', async () => {
    for (let count = 0; count < 5; count += 1) await kit.shoot(`${server.base}/fine`);
  });
});
