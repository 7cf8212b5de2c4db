// Full-page pictures in every writing mode: as wide as the viewport, as tall as the page, and showing what a reader sees
// before scrolling sideways. Spec 4.3 (full_page). writing-modes.test.ts takes a sample of the cases, the gate one of large pages, and the
// night the rest.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { useTestBrowser } from '#test/support/browser.ts';
import type { TestBrowser } from '#test/support/browser.ts';
import { startPageServer } from '#test/support/page-server.ts';
import type { PageServer } from '#test/support/page-server.ts';
import { decode, isNear } from '#test/support/pixels.ts';
import type { Picture } from '#test/support/pixels.ts';

type Side = 'left' | 'right';
type End = 'top' | 'bottom';

/** The corner is where the first line begins. */
const modes: { css: string; corner: [Side, End] }[] = [
  { css: '', corner: ['left', 'top'] },
  { css: 'direction: rtl', corner: ['right', 'top'] },
  { css: 'writing-mode: vertical-rl', corner: ['right', 'top'] },
  { css: 'writing-mode: vertical-lr', corner: ['left', 'top'] },
  { css: 'writing-mode: sideways-rl', corner: ['right', 'top'] },
  { css: 'writing-mode: sideways-lr', corner: ['left', 'bottom'] },
  { css: 'writing-mode: vertical-lr; direction: rtl', corner: ['left', 'bottom'] },
  { css: 'writing-mode: vertical-rl; direction: rtl', corner: ['right', 'bottom'] },
];
const overflows: Record<string, string> = {
  'no overflow': '',
  'overflow to the left': '<i style="left:-700px"></i>',
  'overflow to the right': '<i style="left:700px"></i>',
};
const sizes = [
  { width: 320, height: 320 },
  { width: 800, height: 400 },
  { width: 1440, height: 500 },
];
const boxPx = 60;

let server: PageServer;
let kit: TestBrowser;
before(async () => {
  server = await startPageServer();
  kit = await useTestBrowser([server.host]);
});
after(() => server.close());

/** A red box where the first line begins, and a block with a different colour at every point. */
const pageOf = (
  css: string,
  overflow: string,
  blockPx: number,
) => `<!doctype html><html style="${css}"><style>
  body { margin: 0 } #box { width: ${boxPx}px; height: ${boxPx}px; background: #c80000 }
  #block { width: 250px; height: ${blockPx}px; background: linear-gradient(to right, #00f0, #00f), linear-gradient(#080, #0ff) }
  i { position: absolute; top: 100px; width: 800px; height: 40px; background: linear-gradient(to right, #000, #fff) }
  </style><div id="box"></div><div id="block"></div>${overflow}`;

function centreOfBox({ width, height }: Picture, [side, end]: [Side, End]): [number, number] {
  return [side === 'left' ? boxPx / 2 : width - boxPx / 2, end === 'top' ? boxPx / 2 : height - boxPx / 2];
}

/** Points of the viewport that have another colour in the full page, `top` pixels further down. */
function differences(viewport: Picture, full: Picture, top: number): string[] {
  const found: string[] = [];
  for (let y = 3; y < viewport.height; y += 11) {
    for (let x = 3; x < viewport.width; x += 7) {
      const [seen, expected] = [full.at(x, top + y), viewport.at(x, y)];
      if (!isNear(seen, expected, 3)) found.push(`${x},${y}: ${seen.join(' ')}, not ${expected.join(' ')}`);
    }
  }
  return found.slice(0, 5);
}

async function check(html: string, size: { width: number; height: number }, corner: [Side, End]) {
  const url = server.route('/page', html);
  const viewport = await decode((await kit.shoot(url, size)).bytes);
  assert.ok(isNear(viewport.at(...centreOfBox(viewport, corner)), [200, 0, 0]), 'the box, in the viewport');
  const full = await decode((await kit.shoot(url, { ...size, fullPage: true })).bytes);
  assert.equal(full.width, size.width);
  assert.ok(isNear(full.at(...centreOfBox(full, corner)), [200, 0, 0]), 'the box, in the full page');
  const top = corner[1] === 'top' ? 0 : full.height - viewport.height;
  assert.deepEqual(differences(viewport, full, top), []);
  return full;
}

/** One case of the table: a writing mode, an overflow and a height, each at one of three sizes. */
interface Case {
  css: string;
  corner: [Side, End];
  overflow: string;
  blockPx: number;
  size: { width: number; height: number };
}

const cases = modes.flatMap(({ css, corner }, index) =>
  Object.keys(overflows).flatMap((overflow, row) =>
    [100, 1200].map((blockPx, column): Case => ({
      css,
      corner,
      overflow,
      blockPx,
      size: sizes[(index + 2 * row + column) % sizes.length]!,
    })),
  ),
);

/** Every mode once, and every overflow and height several times. */
const isSampled = (_: Case, index: number): boolean => index % 6 === Math.floor(index / 6) % 6;

export function testWritingModes(part: 'sample' | 'rest'): void {
  describe('writing modes', () => {
    for (const { css, corner, overflow, blockPx, size } of cases.filter(
      (each, index) => isSampled(each, index) === (part === 'sample'),
    )) {
      const title = `${css || 'left to right'}, ${overflow}, ${blockPx} px, ${size.width} px wide`;
      test(`4.3 full_page: ${title}`, async () => {
        const full = await check(pageOf(css, overflows[overflow]!, blockPx), size, corner);
        const isVertical = css.includes('writing-mode');
        const contentPx = isVertical ? blockPx : blockPx + boxPx;
        assert.equal(full.height, Math.max(contentPx, size.height));
      });
    }
  });
}

export function testInPieces(part: 'sample' | 'rest'): void {
  describe('writing modes in several pieces', () => {
    for (const [index, { css, corner }] of modes.entries()) {
      // One that begins at its top, and one that begins at its bottom.
      if ((index === 2 || index === 5) !== (part === 'sample')) continue;
      const side = index % 2 === 0 ? 'overflow to the left' : 'overflow to the right';
      test(`4.3 full_page of 20,000 px: ${css || 'left to right'}, ${side}`, async () => {
        const html = pageOf(css, overflows[side]!, 20_000);
        const full = await check(html, { width: 1440, height: 900 }, corner);
        assert.ok(full.height >= 20_000);
      });
    }
  });
}

export function testCut(): void {
  test('4.3 full_page: a page that begins at its bottom is cut at its top', async () => {
    const html = pageOf('writing-mode: sideways-lr', '', 20_000);
    const url = server.route('/cut', html);
    const shot = await kit.shoot(url, { width: 320, height: 320, fullPage: true, format: 'webp' });
    const picture = await decode(shot.bytes);
    assert.equal(picture.height, 16_383);
    assert.ok(isNear(picture.at(...centreOfBox(picture, ['left', 'bottom'])), [200, 0, 0]));
  });
}
