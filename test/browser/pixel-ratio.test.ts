// Pictures with more than one pixel for each CSS pixel, read back pixel by pixel. v2 2 (viewport.pixel_ratio).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RenderFailure } from '#browser/browser.ts';
import { maxPiecePixels, piecesOf } from '#browser/page/picture/capture.ts';
import { useTestBrowser, type TestBrowser } from '#test/support/browser.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { assertPicture, createShoot } from '#test/browser/pictures-kit.ts';

let server: PageServer;
let kit: TestBrowser;

before(async () => {
  server = await startPageServer({
    '/frame': '<!doctype html><body style="margin:0;background:#00a000">framed',
    '/framed': `<!doctype html><body style="margin:0;height:3000px"><iframe style="position:absolute;left:100px;top:2000px;width:200px;height:100px;border:0"></iframe>
      <script>document.querySelector('iframe').src = location.origin.replace('127.0.0.1', 'localhost') + '/frame'</script>`,
    '/bands': `<!doctype html><body style="margin:0">${Array.from({ length: 20 }, (_, i) => `<div style="height:500px;background:${i % 2 ? '#00a000' : '#c80000'}"></div>`).join('')}`,
  });
  kit = await useTestBrowser([server.host, server.host.replace('127.0.0.1', 'localhost')]);
});
after(() => server.close());

const shoot = createShoot(() => ({ kit, server }));

test('v2 pixel_ratio: full pages in pieces, elements, clips and large viewports', async () => {
  const { shots } = await shoot('/bands', [{ fullPage: true }, { selector: 'div:nth-child(3)' }], {
    width: 640,
    pixelRatio: 2,
  });
  const [full, element] = shots;
  // 26 million pixels, in two pieces.
  const edges = Array.from({ length: 20 }, (_, band) => [
    [`800,${band * 1000}`, band % 2 ? 'green' : 'red'],
    [`800,${band * 1000 + 999}`, band % 2 ? 'green' : 'red'],
  ]);
  await assertPicture(full!, '1280x20000', Object.fromEntries(edges.flat()) as Record<string, string>);
  await assertPicture(element!, '1280x1000', { '0,0': 'red', '1279,999': 'red' });
  const large = await shoot('/bands#', [{}], { pixelRatio: 3, width: 2000, height: 1500 });
  await assertPicture(large.shots[0]!, '6000x4500', {
    '3000,1499': 'red',
    '3000,1500': 'green',
    '1,2999': 'green',
  });
});

test('v2 a picture that is too tall for its format is cut, and says so', async () => {
  const { shots, warnings } = await shoot('/bands', [{ fullPage: true, format: 'webp' }, {}], {
    width: 320,
    pixelRatio: 2,
  });
  await assertPicture(shots[0]!, '640x16382', { '10,16381': 'red' });
  assert.deepEqual([shots[0]!.truncated, shots[1]!.truncated], [true, false]);
  assert.deepEqual(
    warnings.map(({ code, message }) => `${code}: ${message}`),
    ['content_cut: the picture was cut at 16,383 pixels, the most that webp can hold'],
  );
});

test('v2 frames of other sites far down: in elements, clips and resized full pages, at every pixel ratio', async () => {
  const { shots } = await shoot(
    '/framed',
    [
      { selector: 'iframe' },
      { clip: { x: 50, y: 1950, width: 100, height: 100 } },
      { fullPage: true, resize: { width: 320, height: null, fit: 'inside' } },
    ],
    { width: 320, height: 320, pixelRatio: 2 },
  );
  await assertPicture(shots[0]!, '400x200', { '2,2': 'green', '398,198': 'green' });
  await assertPicture(shots[1]!, '200x200', {
    '98,198': 'white',
    '102,98': 'white',
    '102,102': 'green',
    '198,198': 'green',
  });
  await assertPicture(shots[2]!, '320x3000', {
    '102,2002': 'green',
    '298,2098': 'green',
    '302,2050': 'white',
  });
});

test('v2 no piece of a capture has more than 24 Mi pixels, and pieces meet at whole pixels', () => {
  for (const pixelRatio of [1, 2, 2.625, 3]) {
    const area = { x: 0, y: 7, width: 3840, height: 9001 };
    const pieces = piecesOf(area, pixelRatio);
    let next = area.y;
    for (const { y, width, height } of pieces) {
      assert.ok(width * height * pixelRatio ** 2 <= maxPiecePixels * 1.01, `${height} at ${pixelRatio}`);
      assert.deepEqual([y, ((y - area.y) * pixelRatio) % 1], [next, 0]);
      next = y + height;
    }
    assert.equal(next, area.y + area.height);
  }
});

test('v2 too_large counts the pixels of the picture, not those of CSS', async () => {
  await assert.rejects(
    shoot('/bands', [{}], { pixelRatio: 2 }, { maxPixels: 1_900_000 }),
    ({ reason }: RenderFailure) => reason === 'too_large',
  );
});

test('v2 mobile: a full page of a site that is not made for small screens is as wide as it is shown there', async () => {
  const { shots } = await shoot('/bands', [{}, { fullPage: true }, { selector: 'div' }], {
    width: 490,
    height: 600,
    mobile: true,
    pixelRatio: 2,
  });
  // Laid out on 980 px, so shown at half its size.
  await assertPicture(shots[0]!, '980x1200', { '979,499': 'red', '979,501': 'green' });
  await assertPicture(shots[1]!, '980x10000', { '979,499': 'red', '979,501': 'green', '979,9999': 'green' });
  await assertPicture(shots[2]!, '1960x1000', { '1959,999': 'red' });
});
