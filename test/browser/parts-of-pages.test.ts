// Pictures of elements and clips, transparent and resized, several of one load; read back pixel by pixel. v2 2 (outputs).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import type { RenderFailure } from '#browser/browser.ts';
import type { PictureOutput } from '#browser/job.ts';
import { useTestBrowser, type TestBrowser } from '#test/support/browser.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { assertPicture, coloursAt, createShoot, type Shot } from '#test/browser/pictures-kit.ts';

let server: PageServer;
let kit: TestBrowser;

before(async () => {
  server = await startPageServer({
    '/red.svg': (_, response) => {
      response
        .setHeader('content-type', 'image/svg+xml')
        .end(
          '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><rect width="1" height="1" fill="#c80000"/></svg>',
        );
    },
    // A bar that stays in view, an element far below with a lazy image, a box that scrolls, a shadow root.
    '/parts': `<!doctype html><style>body { margin: 0; height: 4000px } body > * { position: absolute }</style>
      <div style="position:fixed;top:0;left:0;right:0;height:50px;background:#ff0"></div>
      <div id="far" style="left:100px;top:3000px;width:300px;height:200px;background:#00a000">
        <img loading="lazy" src="/red.svg" width="100" height="100" style="display:block"></div>
      <div id="box" style="left:0;top:100px;width:200px;height:100px;overflow:auto">
        <div style="height:1000px;background:#ddd"></div><div id="inner" style="height:60px;background:#00a000"></div></div>
      <my-card style="left:300px;top:100px"></my-card>
      <div id="fraction" style="left:10.4px;top:300.5px;width:50.2px;height:20px;background:#c80000"></div>
      <div id="hidden" style="display:none">hidden</div><div id="empty"></div>
      <div id="aside" style="left:-500px;top:0;width:100px;height:100px">off the page</div>
      <div id="tall" style="left:600px;top:200px;width:20px;height:3500px;background:#00a000"></div>
      <script>document.querySelector('my-card').attachShadow({ mode: 'open' }).innerHTML =
        '<p class="name" style="margin:0;width:80px;height:40px;background:#c80000"></p>'</script>`,
    '/glass': `<!doctype html><body style="margin:0"><div style="width:100px;height:100px;background:#c80000"></div>`,
    '/photo': `<!doctype html><body style="margin:0"><canvas id="c" width="400" height="400"></canvas><script>
      const x = c.getContext('2d'); for (let i = 0; i < 4000; i++) { x.fillStyle = 'hsl(' + i * 7 % 360 + ' 80% 50%)'; x.fillRect(i * 37 % 400, i * 53 % 400, 9, 9) }</script>`,
    '/bands': `<!doctype html><body style="margin:0">${Array.from({ length: 20 }, (_, i) => `<div style="height:500px;background:${i % 2 ? '#00a000' : '#c80000'}"></div>`).join('')}`,
  });
  kit = await useTestBrowser([server.host]);
});
after(() => server.close());

const shoot = createShoot(() => ({ kit, server }));

test('v2 selector: far below, in a box that scrolls, in a shadow root, at fractions of a pixel', async () => {
  const elements: { selector: string; size: string; places: Record<string, string> }[] = [
    // Seen from the start of the page, where the bar is not over it.
    { selector: '#far', size: '300x200', places: { '50,50': 'red', '150,50': 'green', '299,199': 'green' } },
    { selector: '#inner', size: '200x60', places: { '1,1': 'green', '199,59': 'green' } },
    { selector: 'p.name', size: '80x40', places: { '1,1': 'red', '79,39': 'red' } },
    { selector: '#fraction', size: '51x21', places: { '20,10': 'red' } },
  ];
  const { shots } = await shoot(
    '/parts',
    elements.map(({ selector }) => ({ selector })),
  );
  for (const [index, { size, places }] of elements.entries())
    await assertPicture(shots[index]!, size, places);
});

test('v2 outputs: pictures of one load do not change each other', async () => {
  const outputs: Partial<PictureOutput>[] = [
    { fullPage: true },
    { selector: '#inner' },
    { clip: { x: 0, y: 0, width: 200, height: 220 } },
    {},
  ];
  const { shots } = await shoot('/parts#far', [{ selector: '#tall', omitBackground: true }, ...outputs]);
  const alone = await Promise.all(outputs.map((output) => shoot('/parts#far', [output])));
  for (const [index, { shots: only }] of alone.entries()) {
    assert.ok(shots[index + 1]!.bytes.equals(only[0]!.bytes), JSON.stringify(outputs[index]));
  }
});

const impossible: { title: string; outputs: Partial<PictureOutput>[]; field: string; words: RegExp }[] = [
  { title: 'no match', outputs: [{ selector: '#none' }], field: 'selector', words: /no element .* "#none"/ },
  {
    title: 'not a selector',
    outputs: [{ selector: 'a[' }],
    field: 'selector',
    words: /not a valid CSS selector/,
  },
  {
    title: 'display: none',
    outputs: [{ selector: '#hidden' }],
    field: 'selector',
    words: /hidden or has no size/,
  },
  { title: 'no size', outputs: [{ selector: '#empty' }], field: 'selector', words: /hidden or has no size/ },
  {
    title: 'off the page',
    outputs: [{}, { selector: '#aside' }],
    field: 'outputs[1].selector',
    words: /hidden/,
  },
  {
    title: 'a clip outside the page',
    outputs: [{ clip: { x: 0, y: 4000, width: 10, height: 10 } }],
    field: 'clip',
    words: /outside the page, which is 800 x 4000 px/,
  },
];
for (const { title, outputs, field, words } of impossible) {
  test(`v2 selector_missing: ${title}`, async () => {
    await assert.rejects(shoot('/parts', outputs), (error: RenderFailure) => {
      assert.deepEqual([error.reason, error.field], ['selector_missing', field]);
      assert.match(error.message, words);
      return true;
    });
  });
}

test('v2 clip: beyond the viewport, fractions outwards, empty beyond the page', async () => {
  const { shots } = await shoot('/parts', [
    { clip: { x: 90, y: 2990, width: 200, height: 100 } },
    { clip: { x: 10.6, y: 300.7, width: 49.5, height: 10.1 } },
    { clip: { x: 700, y: 3900, width: 200, height: 200 } },
  ]);
  await assertPicture(shots[0]!, '200x100', { '5,50': 'white', '11,11': 'red', '111,11': 'green' });
  await assertPicture(shots[1]!, '51x11', { '1,1': 'red', '49,9': 'red' });
  await assertPicture(shots[2]!, '200x200', { '10,10': 'white', '190,190': 'white' });
});

test('v2 omit_background: transparent where the page draws nothing', async () => {
  const { shots } = await shoot('/glass', [
    { omitBackground: true },
    { omitBackground: true, format: 'webp', clip: { x: 0, y: 0, width: 900, height: 700 } },
    {},
  ]);
  const alphaAt = async ({ bytes }: Shot, left: number, top: number) => {
    const pixel = await sharp(bytes)
      .ensureAlpha()
      .extract({ left, top, width: 1, height: 1 })
      .raw()
      .toBuffer();
    return pixel[3];
  };
  for (const [shot, expected] of [
    [shots[0]!, 0],
    [shots[1]!, 0],
    [shots[2]!, 255],
  ] as const) {
    assert.deepEqual([await alphaAt(shot, 50, 50), await alphaAt(shot, 300, 300)], [255, expected]);
  }
  assert.equal(await alphaAt(shots[1]!, 890, 690), 0);
});

test('v2 quality: of JPEG and WebP', async () => {
  for (const format of ['jpeg', 'webp'] as const) {
    const { shots } = await shoot('/photo', [{ format, quality: 10 }, { format }, { format, quality: 100 }]);
    const [low, usual, high] = shots.map(({ sizeBytes }) => sizeBytes);
    assert.ok(low! * 1.5 < usual! && usual! * 1.5 < high!, `${format}: ${low}, ${usual}, ${high}`);
  }
});

test('v2 resize: inside and cover, never larger', async () => {
  const { shots } = await shoot('/bands', [
    { resize: { width: 400, height: null, fit: 'inside' } },
    { resize: { width: 300, height: 300, fit: 'inside' }, format: 'jpeg' },
    { resize: { width: 300, height: 300, fit: 'cover' }, format: 'webp' },
    { resize: { width: 3840, height: null, fit: 'inside' } },
    { resize: { width: null, height: 1000, fit: 'inside' }, fullPage: true },
  ]);
  const sizes = ['400x300', '300x225', '300x300', '800x600', '80x1000'];
  for (const [index, size] of sizes.entries()) await assertPicture(shots[index]!, size, { '10,10': 'red' });
  assert.deepEqual(await coloursAt(shots[4]!.bytes, { '10,975': 'green', '10,925': 'red' }), {
    '10,975': 'green',
    '10,925': 'red',
  });
});

test('v2 too_large: the pictures of a render have too many pixels together', async () => {
  const tooMany = ({ reason, message }: RenderFailure) =>
    reason === 'too_large' && /at most 1(34)? million pixels together/.test(message);
  const clip = { x: 0, y: 0, width: 12_000, height: 12_000 };
  await assert.rejects(shoot('/glass', [{ clip }]), tooMany);
  await assert.rejects(shoot('/glass', [{}, {}, {}], {}, { maxPixels: 1_400_000 }), tooMany);
});
