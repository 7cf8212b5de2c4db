// Pictures of printed pages, and what a PDF says of itself and keeps for those who know its password. v2 4.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import sharp from 'sharp';
import type { RenderFailure } from '#browser/browser.ts';
import { pdfPermissions, plainView, type PdfOutput, type PdfPermission } from '#browser/job.ts';
import { useTestBrowser, type TestBrowser } from '#test/support/browser.ts';
import { readPrinted } from '#test/support/printed.ts';
import { coloursAt } from '#test/browser/pictures-kit.ts';
import { chapters, everywhere, pdfOf, pictureOf, renderText } from '#test/browser/printed-kit.ts';

let kit: TestBrowser;

before(async () => {
  kit = await useTestBrowser([]);
});

const view = { ...plainView, width: 1000, height: 600 };
const box = (colour: string) => `<div style="height:200px;background:${colour};break-after:page"></div>`;
const boxes = `<style>body { margin: 0 } @media screen { div { display: none } }</style>${box('#c80000')}${box('#00a000')}${box('#ffff00')}`;

test('v2 page: the printed page as a picture, in its own pixels', async () => {
  const header = everywhere(
    '<div style="background:#00a000;height:40px;margin:0 calc(-1 * var(--margin-left))">{{page}}</div>',
  );
  const { made } = await renderText(kit, boxes, [
    pictureOf(1),
    pictureOf(3, { landscape: true }, { format: 'jpeg', quality: 90 }),
    pictureOf(2, { header }, { format: 'webp', resize: { width: 408, height: null, fit: 'inside' } }),
    pictureOf(1, {}, { omitBackground: true }),
  ]);
  const seen = async (index: number, places: Record<string, string>) =>
    assert.deepEqual(await coloursAt(made[index]!.bytes, places), places);
  assert.deepEqual(
    made.map(({ width, height, pages }) => [width, height, pages]),
    [
      [816, 1056, null],
      [1056, 816, null],
      [408, 528, null],
      [816, 1056, null],
    ],
  );
  await seen(0, {
    '100,100': 'red',
    '100,290': 'red',
    '100,300': 'white',
    '90,100': 'white',
    '725,100': 'white',
  });
  await seen(1, { '100,100': 'yellow', '950,290': 'yellow', '950,300': 'white' });
  // The band over the whole width, from 28 to 68 px; then the page.
  await seen(2, { '2,24': 'green', '405,24': 'green', '2,10': 'white', '60,60': 'green', '40,60': 'white' });
  const { data, info } = await sharp(made[3]!.bytes).raw().toBuffer({ resolveWithObject: true });
  const alphaAt = (x: number, y: number) => data[(y * info.width + x) * info.channels + 3];
  assert.deepEqual([info.channels, alphaAt(10, 10), alphaAt(100, 100)], [4, 0, 255]);
});

test('v2 page: more pixels with a pixel ratio, and in several pieces what is very large', async () => {
  const { made } = await renderText(kit, boxes, [pictureOf(1)], { view: { ...view, pixelRatio: 2 } });
  assert.deepEqual([made[0]!.width, made[0]!.height], [1632, 2112]);
  const stripes = `<style>body { margin: 0 } div { height: 2000px }</style>${['#c80000', '#00a000', '#ffff00'].map((colour) => `<div style="background:${colour}"></div>`).join('')}`;
  const paper = { width: 50, height: 62.5 };
  const marginInches = { top: 0, right: 0, bottom: 0, left: 0 };
  const { made: large } = await renderText(kit, stripes, [
    pictureOf(1, { paper, marginInches }, { format: 'jpeg' }),
  ]);
  assert.deepEqual([large[0]!.width, large[0]!.height], [4800, 6000]);
  const places = {
    '2000,10': 'red',
    '2000,1990': 'red',
    '2000,2010': 'green',
    '2000,3990': 'green',
    '2000,5990': 'yellow',
  };
  assert.deepEqual(await coloursAt(large[0]!.bytes, places), places);
});

test('v2 page: one that does not exist is unprintable, and too many pixels are too large', async () => {
  await assert.rejects(renderText(kit, boxes, [pdfOf(), pictureOf(4)]), (error: RenderFailure) => {
    assert.deepEqual([error.reason, error.field], ['unprintable', 'outputs[1].page']);
    assert.equal(error.message, 'the document has no page 4');
    return true;
  });
  await assert.rejects(
    renderText(kit, boxes, [pictureOf(9, { footer: everywhere('f') })]),
    ({ reason, field }: RenderFailure) => reason === 'unprintable' && field === 'page',
  );
  const large = '<style>@page { size: 150in 150in }</style><p>large';
  await assert.rejects(
    renderText(kit, large, [pictureOf(1, { preferCssPageSize: true })]),
    ({ reason }: RenderFailure) => reason === 'too_large',
  );
});

const documentInfo = {
  title: 'Tïtle',
  author: 'A. Author',
  subject: 'S',
  keywords: 'a, b',
  language: 'de-CH',
};

test('v2 document and password: what the file says of itself, and who can open it', async () => {
  const text = `<title>Of the page</title><a href="https://example.com/?a=1">out</a> <a href="#c2">in</a>${chapters(2)}`;
  const { made, warnings } = await renderText(kit, text, [
    pdfOf({ documentInfo, tagged: true }),
    pdfOf({ documentInfo, password: 'pässword', outline: true, header: everywhere('{{title}}') }),
    pdfOf({ password: 'p' }),
  ]);
  const [open, closed, plain] = made as [(typeof made)[0], (typeof made)[0], (typeof made)[0]];
  const expected = { Title: 'Tïtle', Author: 'A. Author', Subject: 'S', Keywords: 'a, b', Language: 'de-CH' };
  const infoOf = ({ info }: { info: Record<string, unknown> }) =>
    Object.fromEntries(Object.keys(expected).map((name) => [name, info[name]]));
  assert.deepEqual(infoOf(await readPrinted(open.bytes)), expected);

  await assert.rejects(readPrinted(closed.bytes), { name: 'PasswordException' });
  await assert.rejects(readPrinted(closed.bytes, 'password'), { name: 'PasswordException' });
  const read = await readPrinted(closed.bytes, 'pässword');
  assert.deepEqual(infoOf(read), expected);
  assert.deepEqual(read.outline, ['Chapter 1', 'Chapter 2']);
  assert.deepEqual(read.pages[0]!.links, ['https://example.com/?a=1', '#c2']);
  assert.deepEqual(read.targets, { c2: 3 });
  assert.match(read.pages[1]!.text, /Chapter 1 end Of the page/);
  // AES-256 as in PDF 2.0, and nothing in clear: neither the information nor the outline nor a link.
  const bytes = closed.bytes.toString('latin1');
  assert.match(bytes, /\/V 5/);
  assert.match(bytes, /\/R 6/);
  assert.match(bytes, /\/CFM \/AESV3/);
  // Every bit that permits something is set.
  assert.match(bytes, /\/P -4\b/);
  for (const word of ['Author', 'Chapter', 'example.com', 'Skia', 'pässword'])
    assert.ok(!bytes.includes(word), word);
  assert.deepEqual([closed.pages, plain.pages, warnings], [3, 3, []]);
  assert.equal((await readPrinted(plain.bytes, 'p')).info['Title'], 'Of the page');
});

test('v2 permissions and owner_password: what readers may do, with a password to open the file and without', async () => {
  const bits: Record<PdfPermission, number[]> = {
    print: [0x04, 0x800],
    copy: [0x10],
    modify: [0x08],
    annotate: [0x20],
    fill: [0x100],
    assemble: [0x400],
  };
  const toReadAloud = 0x200;
  const bitsOf = (permissions: readonly PdfPermission[]) =>
    [toReadAloud, ...permissions.flatMap((one) => bits[one])].toSorted((a, b) => a - b);
  const cases: Partial<PdfOutput>[] = [
    ...pdfPermissions.map((one) => ({ permissions: [one] })),
    { permissions: [] },
    { password: 'p', permissions: ['copy', 'fill'] },
    { password: 'p', permissions: ['copy'], ownerPassword: 'öwner' },
    { permissions: ['print'], ownerPassword: 'öwner' },
    { ownerPassword: 'öwner' },
  ];
  // At most five outputs have one load.
  for (let first = 0; first < cases.length; first += 5) {
    const some = cases.slice(first, first + 5);
    const { made } = await renderText(kit, '<p>Terms', some.map(pdfOf));
    for (const [index, { password, ownerPassword, permissions = pdfPermissions }] of some.entries()) {
      const { bytes } = made[index]!;
      const what = JSON.stringify(some[index]);
      const read = await readPrinted(bytes, password ?? undefined);
      assert.match(read.pages[0]!.text, /Terms/, what);
      assert.deepEqual(read.permissions, bitsOf(permissions), what);
      assert.match(bytes.toString('latin1'), /\/R 6/, what);
      if (password) await assert.rejects(readPrinted(bytes), { name: 'PasswordException' });
      if (ownerPassword) {
        assert.match((await readPrinted(bytes, ownerPassword)).pages[0]!.text, /Terms/, what);
        await assert.rejects(readPrinted(bytes, 'other'), { name: 'PasswordException' });
      }
      assert.ok(!bytes.toString('latin1').includes('wner'), what);
    }
  }
  const { made } = await renderText(kit, '<p>Terms', [pdfOf({ permissions: [...pdfPermissions] })]);
  assert.equal(
    (await readPrinted(made[0]!.bytes)).permissions,
    null,
    'with all permissions it is not encrypted',
  );
});
