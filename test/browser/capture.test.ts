// Pictures of the real browser, read back pixel by pixel. Spec 4.3. capture.gate.test.ts has the largest, and capture.nightly.test.ts every
// format at every size.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { PictureFormat } from '#browser/job.ts';
import { imageSize } from '#browser/page/picture/image-size.ts';
import { useTestBrowser } from '#test/support/browser.ts';
import type { TestBrowser } from '#test/support/browser.ts';
import { startPageServer } from '#test/support/page-server.ts';
import type { PageServer } from '#test/support/page-server.ts';
import { decode, isNear } from '#test/support/pixels.ts';
import { captureRoutes, testHeight, testViewport, type Height } from '#test/browser/capture-kit.ts';

const formats: PictureFormat[] = ['png', 'jpeg', 'webp'];
let server: PageServer;
let kit: TestBrowser;

before(async () => {
  server = await startPageServer({
    ...captureRoutes,
    '/overflow':
      '<!doctype html><body style="margin:0"><div style="width:5000px;height:3000px;background:#00a000"></div>',
    '/fixed': `<!doctype html><body style="margin:0"><div style="position:fixed;top:0;left:0;right:0;height:40px;background:#c80000"></div>
      <div style="height:100vh;background:#00a000"></div><div style="height:4000px;background:#dddddd"></div>`,
    // Turns red if it ever sees another viewport; a transition would make the return from one visible.
    '/watchful': `<!doctype html><style>body { margin: 0; height: 3000px } #d { width: 50vw; height: 100vh; background: #00a000; transition: width 2s, height 2s }
      @media (max-width: 700px) { #d { background: #c80000 } }</style><div id="d"></div>
      <script>const bad = () => { d.style.background = '#c80000' }; onresize = bad; visualViewport.onresize = bad;
      let seen = 0; new ResizeObserver(() => { if (seen++) bad() }).observe(d)</script>`,
    '/short': '<!doctype html><body style="margin:0;background:#00a000"><p>short',
    '/square.svg': (_, response) => {
      response
        .setHeader('content-type', 'image/svg+xml')
        .end(
          '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><rect width="10" height="10" fill="#c80000"/></svg>',
        );
    },
    '/endless': `<!doctype html><body style="margin:0"><script>
      const add = () => { for (let i = 0; i < 3; i++) { const d = document.createElement('div'); d.style = 'height:1000px;background:#00a000'; document.body.append(d); } };
      add(); addEventListener('scroll', add);</script>`,
  });
  kit = await useTestBrowser([server.host]);
});
after(() => server.close());

const viewports: [PictureFormat, number, number][] = [
  ['png', 1440, 900],
  ['jpeg', 320, 320],
  ['webp', 800, 600],
];
for (const [format, width, height] of viewports) {
  testViewport(format, width, height, () => ({ kit, server }));
}

const heights: Height[] = [
  { format: 'png', bands: 10 },
  { format: 'jpeg', bands: 31 },
];
for (const height of heights) testHeight(height, () => ({ kit, server }));

test('4.3 full_page of a page shorter than the viewport is the viewport', async () => {
  const shot = await kit.shoot(`${server.base}/short`, { fullPage: true, width: 800, height: 600 });
  const picture = await decode(shot.bytes);
  assert.deepEqual([picture.width, picture.height], [800, 600]);
  assert.ok(isNear(picture.at(400, 590), [0, 160, 0]));
});

test('4.3 full_page keeps the width and the layout viewport', async () => {
  const wide = await decode(
    (await kit.shoot(`${server.base}/overflow`, { fullPage: true, width: 800, height: 600 })).bytes,
  );
  assert.deepEqual([wide.width, wide.height], [800, 3000]);
  const fixed = await decode(
    (await kit.shoot(`${server.base}/fixed`, { fullPage: true, width: 800, height: 600 })).bytes,
  );
  assert.equal(fixed.height, 4600);
  assert.ok(isNear(fixed.at(400, 20), [200, 0, 0]), 'the fixed bar is at the top');
  assert.ok(isNear(fixed.at(400, 599), [0, 160, 0]), '100vh is the viewport');
  assert.ok(isNear(fixed.at(400, 601), [221, 221, 221]), 'and no more');
  assert.ok(isNear(fixed.at(400, 2000), [221, 221, 221]), 'the bar is there once');
});

test('4.3 full_page: the page never sees another viewport', async () => {
  const { bytes } = await kit.shoot(`${server.base}/watchful`, { fullPage: true, width: 800, height: 600 });
  const picture = await decode(bytes);
  assert.equal(picture.height, 3000);
  assert.ok(isNear(picture.at(398, 598), [0, 160, 0]), picture.at(398, 598).join(','));
  assert.ok(isNear(picture.at(402, 598), [255, 255, 255]) && isNear(picture.at(398, 602), [255, 255, 255]));
});

test('4.3 full_page: lazy images and observed boxes are there, from top to bottom', async () => {
  const picture = await decode((await kit.shoot(`${server.base}/long.html`, { fullPage: true })).bytes);
  assert.equal(picture.height, 12_060);
  const missing: string[] = [];
  for (let section = 0; section < 12; section += 1) {
    const y = 60 + section * 1000 + 400;
    if (!isNear(picture.at(200, y), [200, 0, 0])) missing.push(`image ${section}`);
    if (!isNear(picture.at(500, y), [0, 160, 0])) missing.push(`box ${section}`);
  }
  assert.deepEqual(missing, []);
});

test('4.3 full_page of a page that grows as it is scrolled ends', async () => {
  const shot = await kit.shoot(`${server.base}/endless`, {
    fullPage: true,
    format: 'jpeg',
    width: 320,
    height: 2000,
  });
  const { height } = await decode(shot.bytes);
  assert.ok(height >= 3000 && height <= 65_535, `${height}`);
});

test('the size of a picture is read from its bytes, and half a picture is refused', async () => {
  for (const format of formats) {
    const { bytes } = await kit.shoot(`${server.base}/short`, { format, width: 333, height: 444 });
    assert.deepEqual(imageSize(bytes, format), { width: 333, height: 444 });
    assert.equal(imageSize(bytes.subarray(0, bytes.length - 20), format), null);
    assert.equal(imageSize(Buffer.alloc(0), format), null);
    for (const other of formats) if (other !== format) assert.equal(imageSize(bytes, other), null);
  }
});
