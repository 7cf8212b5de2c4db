// Scripts that wait for time to pass in a loop. Virtual time stands still while a script runs, so such a page is rendered again in
// real time. Spec 4.3.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { useTestBrowser, type TestBrowser } from '#test/support/browser.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { decode, nameOf } from '#test/support/pixels.ts';
import { box, green, html, red, script } from '#test/browser/corpus/kit.ts';

let server: PageServer;
let kit: TestBrowser;
before(async () => {
  server = await startPageServer({
    '/frame': html(waiting('Date.now()')),
  });
  kit = await useTestBrowser([server.host, server.host.replace('127.0.0.1', 'localhost')]);
});
after(() => server.close());

const size = { width: 800, height: 600 };

for (const now of ['Date.now()', 'new Date()', 'performance.now()']) {
  test(`4.3 a timer that waits in a loop for ${now} to change`, async () => {
    const url = server.route('/waiting', html(waiting(now)));
    const picture = await decode((await kit.shoot(url, size)).bytes);
    assert.equal(nameOf(picture.at(100, 100)), 'green');
  });
}

test('4.3 a frame of another site that waits in a loop for the clock', async () => {
  const frame = `${server.base.replace('127.0.0.1', 'localhost')}/frame`;
  const url = server.route('/framed', html(`<iframe src="${frame}" style="border:0;height:300px"></iframe>`));
  const picture = await decode((await kit.shoot(url, size)).bytes);
  assert.equal(nameOf(picture.at(100, 100)), 'green');
});

test('4.3 a full page whose timer waits in a loop for the clock', async () => {
  const more = `<img loading="lazy" src="/late.svg" style="display:block;margin-top:1800px">${box('height:100px')}`;
  const url = server.route('/tall', html(waiting('Date.now()') + more));
  server.route('/late.svg', (_, response) => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200"><rect width="200" height="200" fill="${green}"/></svg>`;
    response.setHeader('content-type', 'image/svg+xml').end(svg);
  });
  const picture = await decode((await kit.shoot(url, { ...size, fullPage: true })).bytes);
  assert.equal(picture.height, 2300);
  assert.deepEqual(
    [100, 2100, 2250].map((y) => nameOf(picture.at(100, y))),
    ['green', 'green', 'green'],
  );
});

/** A red box that turns green after the loop. */
function waiting(now: string): string {
  return `<div id="b" style="height:200px;background:${red}"></div>${script(
    `onload = () => setTimeout(() => { const from = ${now}; while (${now} - from < 300); b.style.background = '${green}' }, 100)`,
  )}`;
}
