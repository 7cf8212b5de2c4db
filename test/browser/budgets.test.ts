// The navigation budget: servers and pages that never come to an end are given up in time, all at once beside a page
// that is fine. Spec 4.3, 4.4 (25 s; 60 and 75 s in all).
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { RenderFailure } from '#browser/browser.ts';
import { limits } from '#core/limits.ts';
import { startTestBrowser } from '#lab/support/browser.ts';
import type { TestBrowser } from '#lab/support/browser.ts';
import { startPageServer } from '#lab/support/page-server.ts';
import type { PageServer, Route } from '#lab/support/page-server.ts';
import { readPdf } from '#lab/support/pdf.ts';

let server: PageServer;
let kit: TestBrowser;
const html = { 'content-type': 'text/html' };

/** Sends a little, then a little more, and never ends. */
const drip: Route = (_, response) => {
  response.writeHead(200, html).write('<!doctype html><p>so far');
  const timer = setInterval(() => response.write(' and more'), 300);
  response.on('close', () => clearInterval(timer));
};

const endless: { title: string; route: Route }[] = [
  { title: 'a server that never answers', route: () => {} },
  { title: 'a server that drips', route: drip },
  { title: 'a page whose picture never comes', route: '<!doctype html><p>text<img src="/never">' },
  { title: 'an endless loop', route: '<!doctype html><script>for (;;);</script>' },
];

before(async () => {
  server = await startPageServer({ '/never': () => {}, '/fine': '<!doctype html><p>fine' });
  kit = await startTestBrowser([server.host], { concurrency: 12 });
});
after(async () => {
  await kit.close();
  await server.close();
});

describe('budgets', { concurrency: 12 }, () => {
  for (const [index, { title, route }] of endless.entries()) {
    for (const kind of ['screenshot', 'pdf'] as const) {
      test(`${kind === 'pdf' ? '4.4' : '4.3'} ${title}: ${kind} given up after the navigation budget`, async () => {
        const url = server.route(`/endless-${index}`, route);
        const startedAt = performance.now();
        await assert.rejects(kind === 'pdf' ? kit.print(url) : kit.shoot(url), (error: RenderFailure) => {
          assert.equal(error.reason, 'timed_out', String(error));
          return true;
        });
        const elapsedMs = performance.now() - startedAt;
        assert.ok(
          elapsedMs >= limits.navigationMs - 50 && elapsedMs < limits.screenshotTotalMs,
          `${elapsedMs} ms`,
        );
      });
    }
  }

  test('4.3 a loop that begins after the load event is given up long before the total', async () => {
    const url = server.route(
      '/loop-late',
      '<!doctype html><p>text<script>onload = () => setTimeout(() => { for (;;); }, 0)</script>',
    );
    const startedAt = performance.now();
    await assert.rejects(kit.shoot(url), (error: RenderFailure) => error.reason === 'timed_out');
    assert.ok(performance.now() - startedAt < limits.screenshotTotalMs);
  });

  test('4.4 a PDF whose network is never idle is printed when the budget ends', async () => {
    const url = server.route(
      '/busy',
      `<!doctype html><p>text<script>setInterval(() => fetch('/fine'), 100)</script>`,
    );
    const pdf = await kit.print(url, { waitUntil: 'networkidle0' });
    assert.equal(readPdf(pdf.bytes).length, 1);
    assert.ok(pdf.timings.navigateMs >= limits.navigationMs - 50, `${pdf.timings.navigateMs} ms`);
  });

  test('a page that is fine is drawn beside all of them', async () => {
    for (let count = 0; count < 5; count += 1) await kit.shoot(`${server.base}/fine`);
  });
});
