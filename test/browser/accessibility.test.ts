// The accessibility tree of a page: its boxes are proven by the pixels at them. accessibility.gate.test.ts has large pages. v2 4
// (accessibility).
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { plainPicture, plainView, type PictureOutput, type View } from '#browser/job.ts';
import { toTree, type TreeNode } from '#browser/page/extract/accessibility-tree.ts';
import { plainWaits, useTestBrowser, type TestBrowser } from '#test/support/browser.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { decode, isNear } from '#test/support/pixels.ts';

let server: PageServer;
let other: PageServer;
let kit: TestBrowser;

/** A box in the colour that is its name, on white. */
const box = (colour: string, style: string) =>
  `<div role="button" aria-label="${colour}" style="position:absolute;background:#${colour};${style}"></div>`;

before(async () => {
  const document = (script: string) =>
    `<!doctype html><body style="margin:0;height:600px">${box('006644', 'left:20px;top:330px;width:50px;height:40px')}<script>${script}</script>`;
  const inside = document('scrollTo(0, 300)');
  // A frame of another site draws by itself, and may get its size late: before that it cannot be scrolled.
  const far = document(`(function scroll() {
    scrollTo(0, 300);
    requestAnimationFrame(() => (scrollY === 300 ? requestAnimationFrame(() => parent.postMessage('drawn', '*')) : scroll()));
  })()`);
  other = await startPageServer({ '/far': far.replaceAll('006644', '660044') }, { address: '127.0.0.2' });
  const boxes = `<!doctype html><title>Boxes</title><script>isReady = false; onmessage = () => (isReady = true)</script><meta name="viewport" content="width=device-width"><body style="margin:0;height:3000px"><h1 style="position:absolute;top:0;left:500px">A heading</h1>
      ${box('aa0000', 'left:10px;top:20px;width:100px;height:60px')}
      ${box('00aa00', 'left:40px;top:2500px;width:80px;height:70px')}
      ${box('0000aa', 'left:700px;top:100.5px;width:60px;height:41px')}
      <div style="position:absolute;left:200px;top:100px;width:150px;height:100px;overflow:auto" id="scroller"><div style="height:500px;position:relative">${box('aa00aa', 'left:5px;top:200px;width:60px;height:30px')}</div></div>
      <my-card style="position:absolute;left:400px;top:200px;width:100px;height:60px"></my-card>
      <iframe src="/inside" style="position:absolute;left:40px;top:250px;width:200px;height:120px;border:7px solid #fff"></iframe>
      <iframe src="${other.base}/far" style="position:absolute;left:300px;top:290px;width:200px;height:120px;border:3px solid #fff;padding:4px 6px"></iframe>
      <div style="position:absolute;left:560px;top:250px;transform:scale(2);transform-origin:0 0"><iframe src="/larger" style="width:100px;height:120px;border:3px solid #fff;padding:5px"></iframe></div>
      <input type="checkbox" checked disabled aria-label="Subscribe" style="position:absolute;top:450px">
      <div aria-hidden="true"><button>unseen</button></div><div style="display:none"><button>gone</button></div>
      <script>scroller.scrollTop = 190; document.querySelector('my-card').attachShadow({ mode: 'open' }).innerHTML = ${JSON.stringify(box('00aaaa', 'left:0;top:0;width:70px;height:45px'))}</script>`;
  server = await startPageServer({
    '/inside': inside,
    '/larger': inside.replaceAll('006644', '446600'),
    '/boxes': boxes,
    '/scrolled': `${boxes}<script>scrollTo(0, 90)</script>`,
    '/wide': `<!doctype html><body style="margin:0;height:1200px">${box('aa0000', 'left:100px;top:200px;width:300px;height:200px')}`,
  });
  kit = await useTestBrowser([server.host, other.host]);
});
after(() => Promise.all([server.close(), other.close()]));

interface Described {
  tree: TreeNode;
  picture: Buffer;
  truncated: boolean;
}

async function describe(
  path: string,
  output: Partial<PictureOutput>,
  view: Partial<View> = {},
): Promise<Described> {
  await using rendered = await kit.render(`${server.base}${path}`, {
    view: { ...plainView, width: 800, height: 600, ...view },
    waits: { ...plainWaits, for: [{ expression: 'window.isReady !== false' }] },
    // The tree belongs to the first picture, wherever it stands and whatever comes after it.
    outputs: [
      { format: 'accessibility' },
      { ...plainPicture, ...output },
      { ...plainPicture, clip: { x: 5, y: 900, width: 50, height: 50 } },
    ],
  });
  const [tree, picture] = await Promise.all(rendered.outputs.map(({ path: file }) => readFile(file)));
  return {
    tree: JSON.parse(tree!.toString()),
    picture: picture!,
    truncated: rendered.outputs[0]!.truncated,
  };
}

const all = (node: TreeNode): TreeNode[] => [node, ...(node.children ?? []).flatMap(all)];
const named = (tree: TreeNode, name: string) => all(tree).find((node) => node.name === name);

/** Which boxes are in their colour just inside of their edges, and not just outside. */
async function checkBoxes({ tree, picture }: Described, colours: string[], slackPx: number): Promise<void> {
  const shown = await decode(picture);
  for (const colour of colours) {
    const rgb = [0, 2, 4].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
    const { x, y, width, height } = named(tree, colour)?.box ?? assert.fail(`${colour} has no box`);
    const isThere = (px: number, py: number) => {
      const isInPicture = px >= 0 && py >= 0 && px < shown.width && py < shown.height;
      return isInPicture ? isNear(shown.at(px, py), rgb, 8 + 24 * slackPx) : undefined;
    };
    const [right, bottom, out] = [x + width - 1, y + height - 1, 1 + slackPx];
    const inside = [
      [x + out, y + out],
      [right - out, y + out],
      [x + out, bottom - out],
      [right - out, bottom - out],
    ] as const;
    const outside = [
      [x - out, y + out],
      [right + out, y + out],
      [x + out, y - out],
      [x + out, bottom + out],
    ] as const;
    const found = {
      inside: inside.map(([px, py]) => isThere(px, py)),
      outside: outside.map(([px, py]) => isThere(px, py) ?? false),
    };
    assert.deepEqual(
      found,
      { inside: [true, true, true, true], outside: [false, false, false, false] },
      `${colour}: ${JSON.stringify({ x, y, width, height })}`,
    );
  }
}

const inViewport = ['aa0000', '0000aa', '00aaaa', '006644', '660044', '446600'];
const cases: {
  title: string;
  path?: string;
  output: Partial<PictureOutput>;
  view?: Partial<View>;
  colours: string[];
  slackPx?: number;
}[] = [
  { title: 'of the viewport', output: {}, colours: [...inViewport, 'aa00aa'] },
  {
    title: 'of the viewport at ratio 2',
    output: {},
    view: { pixelRatio: 2 },
    colours: [...inViewport, 'aa00aa'],
  },
  { title: 'of the full page', output: { fullPage: true }, colours: [...inViewport, '00aa00'] },
  {
    title: 'of the full page at ratio 3',
    output: { fullPage: true },
    view: { pixelRatio: 3, width: 780 },
    colours: [...inViewport, '00aa00'],
  },
  {
    title: 'of a clip',
    output: { clip: { x: 30, y: 2400.5, width: 300, height: 300 } },
    view: { pixelRatio: 2 },
    colours: ['00aa00'],
  },
  {
    title: 'of an element in a box that scrolls',
    output: { selector: '#scroller' },
    view: { pixelRatio: 2 },
    colours: ['aa00aa'],
  },
  {
    title: 'of the full page, resized',
    output: { fullPage: true, resize: { width: 400, height: null, fit: 'inside' } },
    colours: ['aa0000', '00aa00'],
    slackPx: 1,
  },
  {
    title: 'of the viewport, resized and cut',
    output: { resize: { width: 300, height: 300, fit: 'cover' } },
    colours: ['00aaaa', '660044'],
    slackPx: 1,
  },
  {
    title: 'of a page that is scrolled',
    path: '/scrolled',
    output: {},
    colours: ['0000aa', '00aaaa', '006644', '660044'],
  },
  {
    title: 'of a page that a phone shows smaller',
    path: '/wide',
    output: {},
    view: { width: 390, height: 640, pixelRatio: 2, mobile: true, touch: true },
    colours: ['aa0000'],
  },
  {
    title: 'of such a page, in full',
    path: '/wide',
    output: { fullPage: true },
    view: { width: 390, height: 320, pixelRatio: 2, mobile: true, touch: true },
    colours: ['aa0000'],
  },
];

for (const { title, path = '/boxes', output, view, colours, slackPx = 0 } of cases) {
  test(`boxes are where their pixels are in a picture ${title}`, async () => {
    await checkBoxes(await describe(path, output, view), colours, slackPx);
  });
}

test('a tree says what assistive technology would, without what is hidden from it', async () => {
  const { tree, truncated } = await describe('/boxes', {});
  assert.deepEqual([tree.role, tree.name, truncated], ['RootWebArea', 'Boxes', false]);
  // The receipt has the address, without its query string.
  assert.ok(!('url' in tree));
  const heading = named(tree, 'A heading');
  assert.deepEqual([heading?.role, heading?.['level']], ['heading', 1]);
  const checkbox = named(tree, 'Subscribe');
  assert.deepEqual(
    [checkbox?.role, checkbox?.['checked'], checkbox?.['disabled']],
    ['checkbox', 'true', true],
  );
  assert.deepEqual([named(tree, 'unseen'), named(tree, 'gone')], [undefined, undefined]);
});

test('without a picture, boxes are those of the whole page at the pixel ratio', async () => {
  await using rendered = await kit.render(`${server.base}/boxes`, {
    view: { ...plainView, width: 800, height: 600, pixelRatio: 2 },
    outputs: [{ format: 'accessibility' }],
  });
  const tree = JSON.parse(await readFile(rendered.outputs[0]!.path, 'utf8')) as TreeNode;
  assert.deepEqual(named(tree, '00aa00')?.box, { x: 80, y: 5000, width: 160, height: 140 });
});

test('a tree that is nested without end can still be written, and long texts are cut', () => {
  const nodes = Array.from({ length: 50_000 }, (_, index) => ({
    nodeId: String(index),
    ignored: false,
    role: { type: 'role' as const, value: 'group' },
    name: { type: 'computedString' as const, value: index === 1 ? 'x'.repeat(5_000) : `${index}` },
    childIds: [String(index + 1)],
  }));
  const { tree, isCut } = toTree({ nodes, boxOf: () => null, frames: new Map() });
  assert.equal(isCut, true);
  assert.ok(JSON.stringify(tree).length < 10 * 1024 ** 2);
  assert.deepEqual([all(tree).length, tree.children?.[0]?.name.length], [20_000, 1_000]);
});
