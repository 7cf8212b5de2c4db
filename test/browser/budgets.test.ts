// The navigation budget: servers and pages that never finish are given up in time, all at once, while an ordinary page renders.
// None of these uses CPU time; budgets.nightly.test.ts has those that do. Spec 4.3, 4.4.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createPhases } from '#core/phases.ts';
import { useTestBrowser } from '#test/support/browser.ts';
import type { TestBrowser } from '#test/support/browser.ts';
import { slowRoute, startPageServer } from '#test/support/page-server.ts';
import type { PageServer, Route } from '#test/support/page-server.ts';
import { readPdf } from '#test/support/pdf.ts';
import { type Endless, testGivenUp } from './endless.ts';

/** Instead of 25 s: what ends a load does not depend on how long it is. */
const navigationMs = 4_000;

let server: PageServer;
let kit: TestBrowser;
const html = { 'content-type': 'text/html' };
/** Blocks the page's only thread, as an endless loop does. */
const stuck = `const request = new XMLHttpRequest(); request.open('GET', '/never', false); request.send()`;

/** Sends a little, then a little more, and never finishes. */
const drip: Route = (_, response) => {
  response.writeHead(200, html).write('<!doctype html><p>so far');
  const timer = setInterval(() => response.write(' and more'), 300);
  response.on('close', () => clearInterval(timer));
};

const endless: Endless[] = [
  { title: 'a server that never answers', route: () => {} },
  { title: 'a server that drips', route: drip },
  { title: 'a page whose picture never comes', route: '<!doctype html><p>text<img src="/never">' },
  { title: 'a script that never returns', route: `<!doctype html><script>${stuck}</script>` },
];

before(async () => {
  server = await startPageServer({
    '/never': () => {},
    '/slow': slowRoute,
    '/fine': '<!doctype html><p>fine',
  });
  kit = await useTestBrowser([server.host]);
});
after(() => server.close());

describe('budgets', { concurrency: 12 }, () => {
  testGivenUp(endless, navigationMs, () => ({ kit, server }));

  test('4.4 a PDF whose network is never idle is printed when the budget ends', async () => {
    // One request follows the other without a pause: a timer would be late on a busy machine, and the network idle meanwhile.
    const url = server.route(
      '/busy',
      `<!doctype html><p>text<script>for (const lane of [1, 2]) (function next() { fetch('/slow?200').then(next) })()</script>`,
    );
    const phases = createPhases();
    const pdf = await kit.print(url, { waitUntil: 'networkidle0', phases, navigationMs });
    assert.equal(readPdf(pdf.bytes).length, 1);
    const navigateMs = phases.measuredMs['navigate']!;
    // An idle network would have ended it after half a second. The phase is reported late on a busy machine.
    assert.ok(navigateMs >= navigationMs / 2, `${navigateMs} ms`);
  });

  test('an ordinary page is drawn at the same time', async () => {
    for (let count = 0; count < 5; count += 1) await kit.shoot(`${server.base}/fine`);
  });
});
