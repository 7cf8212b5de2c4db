// PDFs of the real browser, read back from their own bytes. Spec 4.4.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { PdfJob } from '#test/support/browser.ts';
import { useTestBrowser } from '#test/support/browser.ts';
import type { TestBrowser } from '#test/support/browser.ts';
import { slowRoute, startPageServer } from '#test/support/page-server.ts';
import type { PageServer } from '#test/support/page-server.ts';
import { readPdf } from '#test/support/pdf.ts';

const red = '255 0 0';
let server: PageServer;
let kit: TestBrowser;

before(async () => {
  server = await startPageServer({
    '/slow': slowRoute,
    '/box':
      '<!doctype html><body style="margin:0"><div style="width:100px;height:50px;background:#f00"></div>',
    '/wide':
      '<!doctype html><body style="margin:0"><div id=d style="height:50px;width:100px"></div><script>d.style.background = innerWidth === 777 && innerHeight === 555 ? "#f00" : "#00f"</script>',
    '/big': `<!doctype html><body>${'<p>'.padEnd(2000, 'words and words ')}`.repeat(400),
  });
  kit = await useTestBrowser([server.host]);
});
after(() => server.close());

const papers: { title: string; job: Partial<PdfJob>; widthPt: number; heightPt: number }[] = [
  { title: 'letter', job: {}, widthPt: 612, heightPt: 792 },
  { title: 'a4', job: { paperFormat: 'a4' }, widthPt: 595.3, heightPt: 841.9 },
  { title: 'legal', job: { paperFormat: 'legal' }, widthPt: 612, heightPt: 1008 },
  { title: 'letter, landscape', job: { landscape: true }, widthPt: 792, heightPt: 612 },
  { title: 'a4, landscape', job: { paperFormat: 'a4', landscape: true }, widthPt: 841.9, heightPt: 595.3 },
];

for (const { title, job, widthPt, heightPt } of papers) {
  test(`4.4 paper: ${title}`, async () => {
    const pdf = await kit.print(`${server.base}/box`, job);
    const [page, ...more] = readPdf(pdf.bytes);
    assert.equal(more.length, 0);
    // Chromium rounds the paper up to whole dots of its printer.
    assert.ok(
      Math.abs(page!.widthPt - widthPt) < 1 && Math.abs(page!.heightPt - heightPt) < 1,
      JSON.stringify(page),
    );
  });
}

const boxes: { title: string; job: Partial<PdfJob>; x: number; y: number; width: number }[] = [
  { title: 'no margin, scale 1', job: {}, x: 0, y: 0, width: 75 },
  { title: 'scale 2', job: { scale: 2 }, x: 0, y: 0, width: 150 },
  { title: 'scale 0.1', job: { scale: 0.1 }, x: 0, y: 0, width: 7.5 },
  {
    title: 'margins',
    job: { marginInches: { top: 1, right: 0.25, bottom: 0.5, left: 2 } },
    x: 144,
    y: 72,
    width: 75,
  },
  {
    title: 'margins in landscape at scale 1.5',
    job: { landscape: true, scale: 1.5, marginInches: { top: 0.5, right: 0, bottom: 0, left: 1 } },
    x: 72,
    y: 36,
    width: 112.5,
  },
];

for (const { title, job, x, y, width } of boxes) {
  test(`4.4 margin and scale: ${title}`, async () => {
    const pdf = await kit.print(`${server.base}/box`, job);
    const box = readPdf(pdf.bytes)[0]!.fills.find(({ colour }) => colour === red);
    assert.ok(box, 'the box is printed');
    for (const [actual, expected] of [
      [box.x, x],
      [box.y, y],
      [box.width, width],
    ] as const) {
      assert.ok(Math.abs(actual - expected) < 0.6, `${JSON.stringify(box)} against ${x}, ${y}, ${width}`);
    }
  });
}

test('4.4 print_background off leaves out colours', async () => {
  const pdf = await kit.print(`${server.base}/box`, { printBackground: false });
  assert.deepEqual(
    readPdf(pdf.bytes)[0]!.fills.filter(({ colour }) => colour === red),
    [],
  );
});

test('4.4 prefer_css_page_size takes the size of the page, and print styles apply', async () => {
  const own = readPdf((await kit.print(`${server.base}/print.html`, { preferCssPageSize: true })).bytes);
  assert.equal(own.length, 3);
  assert.ok(
    Math.abs(own[0]!.widthPt - 419.5) < 1 && Math.abs(own[0]!.heightPt - 297.6) < 1,
    JSON.stringify(own[0]),
  );
  const asked = readPdf((await kit.print(`${server.base}/print.html`, { paperFormat: 'legal' })).bytes);
  assert.ok(Math.abs(asked[0]!.widthPt - 612) < 1 && Math.abs(asked[0]!.heightPt - 1008) < 1);
});

// Where and how wide a box of 100 px (75 pt) is on letter paper.
const ownSizes: {
  css: string;
  job?: Partial<PdfJob>;
  x: number;
  y: number;
  width: number;
  paper?: string;
}[] = [
  // Larger than the paper: laid out on A3, scaled down and centred, as Puppeteer, Playwright and Gotenberg do.
  { css: 'size: a3', x: 26.2, y: 0, width: 49.9 },
  // Smaller than the paper: centred, at its own size.
  { css: 'size: 4in 5in', x: 162, y: 216, width: 75 },
  // Other orientation: the paper stays as requested, and the size is ignored.
  { css: 'size: landscape', x: 0, y: 0, width: 75 },
  { css: 'size: a3', job: { landscape: true }, x: 0, y: 0, width: 75, paper: '792x612' },
  { css: 'size: a3 landscape', x: 0, y: 0, width: 75 },
];

for (const { css, job, x, y, width, paper = '612x792' } of ownSizes) {
  const title = `@page { ${css} }${job?.landscape === true ? ', landscape asked' : ''}`;
  test(`4.4 prefer_css_page_size false: ${title}`, async () => {
    const html = `<!doctype html><style>@page { ${css} }</style><body style="margin:0"><div style="width:100px;height:50px;background:#f00"></div>`;
    const pages = readPdf((await kit.print(server.route('/own-size', html), job)).bytes);
    assert.deepEqual([pages.length, `${pages[0]!.widthPt}x${pages[0]!.heightPt}`], [1, paper]);
    const box = pages[0]!.fills.find(({ colour }) => colour === red);
    assert.ok(box, 'the box is printed');
    for (const [actual, expected] of [
      [box.x, x],
      [box.y, y],
      [box.width, width],
    ] as const)
      assert.ok(Math.abs(actual - expected) < 1, `${JSON.stringify(box)} against ${x}, ${y}, ${width}`);
  });
}

test('4.4 viewport is applied before printing', async () => {
  const pdf = await kit.print(`${server.base}/wide`, { viewport: { width: 777, height: 555 } });
  assert.ok(readPdf(pdf.bytes)[0]!.fills.some(({ colour }) => colour === red));
});

test('4.4 a PDF of many pages arrives whole', async () => {
  const pdf = await kit.print(`${server.base}/big`);
  const pages = readPdf(pdf.bytes);
  assert.ok(pages.length > 20, `${pages.length} pages`);
  assert.equal(pdf.bytes.toString('latin1', 0, 5), '%PDF-');
});

// What a page had done by the time it was printed, shown by the boxes on the paper.
const steps = `<!doctype html><body style="margin:0"><script>
  const box = (colour) => { const d = document.createElement('div'); d.style = 'width:40px;height:10px;background:' + colour; document.body.append(d); };
  document.addEventListener('DOMContentLoaded', () => box('#ff0000'));
  addEventListener('load', () => { box('#00ff00'); setTimeout(() => box('#0000ff'), 700); });
</script>`;
const blue = '0 0 255';
const green = '0 255 0';

const waits: {
  waitUntil: PdfJob['waitUntil'];
  delayMs?: number;
  body: string;
  has: string[];
  lacks: string[];
}[] = [
  { waitUntil: 'load', body: steps, has: [red, green], lacks: [blue] },
  { waitUntil: 'load', delayMs: 1000, body: steps, has: [red, green, blue], lacks: [] },
  // The picture is still loading: the document is there, the load event is not.
  { waitUntil: 'domcontentloaded', body: `${steps}<img src="/slow?600">`, has: [red], lacks: [green, blue] },
  // Two fetches of 400 ms, one after the other: idle comes after both, and after the timer at 700 ms.
  {
    waitUntil: 'networkidle0',
    body: `${steps}<script>fetch('/slow?400').then(() => fetch('/slow?400')).then(() => box('#00ffff'))</script>`,
    has: [red, green, blue, '0 255 255'],
    lacks: [],
  },
  // Two requests that never end are within the two that are allowed; three are not.
  {
    waitUntil: 'networkidle2',
    body: `${steps}<script>onload = () => { fetch('/slow?9000'); fetch('/slow?9000'); }</script>`,
    has: [red, green],
    lacks: [],
  },
  // A busy page makes no requests, but does not count as idle.
  {
    waitUntil: 'networkidle2',
    body: `${steps}<script>onload = () => setTimeout(() => {
      const ends = performance.now() + 2000; while (performance.now() < ends);
      setTimeout(() => box('#00ffff'), 50) }, 100)</script>`,
    has: [red, green, '0 255 255'],
    lacks: [],
  },
];

for (const [index, { waitUntil, delayMs = 0, body, has, lacks }] of waits.entries()) {
  test(`4.4 wait_until ${waitUntil}${delayMs ? ` and delay_ms ${delayMs}` : ''} (${index})`, async () => {
    const pdf = await kit.print(server.route(`/wait-${index}`, body), { waitUntil, delayMs });
    const colours = readPdf(pdf.bytes)[0]!.fills.map(({ colour }) => colour);
    for (const colour of has) assert.ok(colours.includes(colour), `${colour} in ${colours.join(', ')}`);
    for (const colour of lacks)
      assert.ok(!colours.includes(colour), `${colour} not in ${colours.join(', ')}`);
  });
}
