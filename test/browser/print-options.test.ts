// What version 2 adds to PDFs: page ranges, one long page, outlines, tags and any paper. v2 2 (outputs).
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { RenderFailure } from '#browser/browser.ts';
import { plainPdf, plainView, type PdfOutput } from '#browser/job.ts';
import { useTestBrowser, type TestBrowser } from '#test/support/browser.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { readPdf, type PdfPage } from '#test/support/pdf.ts';

let server: PageServer;
let kit: TestBrowser;

const chapters = (count: number) =>
  Array.from(
    { length: count },
    (_, i) =>
      `<h1>Chapter ${i + 1}</h1><div style="width:${i + 1}0px;height:10px;background:#f00"></div><p style="break-after:page">text`,
  ).join('');

before(async () => {
  server = await startPageServer({
    '/chapters': `<!doctype html><title>/Type /Pages /Count 4444</title><body style="margin:0">${chapters(12)}`,
    '/short': '<!doctype html><body style="margin:0"><div style="height:300px;background:#f00"></div>',
    '/no-doctype': '<body style="margin:0"><div style="height:300px;background:#f00"></div>',
    '/no-doctype-tall':
      '<body style="margin:0;height:100vh"><div style="height:300px;background:#f00"></div>',
    // Its own paper, forced breaks, parts as tall as the viewport, and a part for the screen only.
    '/landing': `<!doctype html><style>@page { size: a5 landscape; margin: 2in } body { margin: 0 } @media print { #screen { display: none } }
      .hero { height: 100vh; background: #f00 } .half { min-height: 50vh; background: #00f }</style>
      <div id="screen" style="height:5000px">screen</div><div class="hero"></div><div class="half" style="break-before:page"></div>
      <div style="height:1000px;background:#0f0"></div>`,
    '/dark': `<!doctype html><meta name="color-scheme" content="dark"><body style="margin:0"><div style="height:50px;background:#f00"></div>`,
    '/endless': `<!doctype html><body style="margin:0"><div style="height:30000px;background:#f00"></div>`,
    '/wide': `<!doctype html><body style="margin:0"><div style="width:1000px;height:2000px;background:#f00"></div>`,
  });
  kit = await useTestBrowser([server.host]);
});
after(() => server.close());

interface Pdf {
  bytes: Buffer;
  sheets: PdfPage[];
  pages: number | null;
  truncated: boolean;
}

/** The PDFs of one load, on letter paper unless they say otherwise. */
async function print(
  path: string,
  ...outputs: Partial<PdfOutput>[]
): Promise<Pdf[] & { warnings?: string[] }> {
  await using rendered = await kit.render(`${server.base}${path}`, {
    view: { ...plainView, width: 1000, height: 600 },
    outputs: outputs.map((output) => ({ ...plainPdf, paper: { width: 8.5, height: 11 }, ...output })),
  });
  const pdfs = await Promise.all(
    rendered.outputs.map(async ({ path: file, pages, truncated }) => {
      const bytes = await readFile(file);
      return { bytes, sheets: readPdf(bytes), pages, truncated };
    }),
  );
  const warnings = rendered.page.warnings.map(({ code, message }) => `${code}: ${message}`);
  return Object.assign(pdfs, { warnings });
}

/** Each box of a sheet, in points. */
const boxesOf = ({ fills }: PdfPage): string[] =>
  fills.map(({ colour, y, height }) => `${colour} at ${Math.round(y)}, ${Math.round(height)} tall`);

const sizeOf = ({ widthPt, heightPt }: PdfPage): string => `${Math.round(widthPt)}x${Math.round(heightPt)}`;

test('v2 page_ranges: these pages in the order of the document, up to its end', async () => {
  const [some, upToEnd] = await print('/chapters', { pageRanges: '11,2-3' }, { pageRanges: '12-40' });
  // The box of each page is as wide as the number of its chapter.
  const widths = some!.sheets.map(({ fills }) => Math.round(fills[0]!.width / 7.5));
  assert.deepEqual([some!.pages, widths], [3, [2, 3, 11]]);
  assert.deepEqual([upToEnd!.pages, upToEnd!.sheets.length], [1, 1]);
});

test('v2 page_ranges past the end of the document: unprintable, with the field', async () => {
  await assert.rejects(print('/chapters', {}, { pageRanges: '13-40' }), (error: RenderFailure) => {
    assert.deepEqual([error.reason, error.field], ['unprintable', 'outputs[1].page_ranges']);
    assert.equal(error.message, 'the document has no page 13-40');
    return true;
  });
});

test('v2 outline and tagged: only where requested, and pages are counted right', async () => {
  const pdfs = await print('/chapters', {}, { tagged: true }, { outline: true });
  assert.deepEqual(
    pdfs.map(({ bytes, pages }) => [pages, bytes.includes('/StructTreeRoot'), bytes.includes('/Outlines')]),
    [
      [12, false, false],
      [12, true, false],
      [12, true, true],
    ],
  );
});

test('v2 paper: any size, also wider than tall', async () => {
  const paper = { width: 6, height: 3 };
  const pdfs = await print(
    '/short',
    { paper },
    { paper, landscape: true },
    { paper: { width: 5, height: 5 } },
  );
  assert.deepEqual(
    pdfs.map(({ sheets }) => sizeOf(sheets[0]!)),
    ['432x216', '216x432', '360x360'],
  );
});

test('v2 several PDFs of one load: the paper of one is not that of the next', async () => {
  const pdfs = await print('/landing', {}, { preferCssPageSize: true });
  assert.deepEqual(
    pdfs.map(({ sheets }) => sizeOf(sheets[0]!)),
    ['612x792', '595x420'],
  );
});

test('v2 omit_background: without the background of a dark colour scheme', async () => {
  const pdfs = await print('/dark', {}, { omitBackground: true }, {});
  assert.deepEqual(
    pdfs.map(({ sheets }) => sheets[0]!.fills.length),
    [2, 1, 2],
  );
});

test('v2 single_page: one sheet as tall as what is printed, whatever the page says of its paper', async () => {
  const margin = { top: 1, right: 1, bottom: 0.5, left: 1 };
  const pdfs = await print(
    '/landing',
    { singlePage: true },
    { singlePage: true, scale: 0.5, marginInches: margin },
    {},
  );
  const [one, small, usual] = pdfs;
  assert.deepEqual([one!.pages, one!.truncated, pdfs.warnings], [1, false, []]);
  assert.equal(sizeOf(one!.sheets[0]!), '612x1426');
  // 100vh is the height of the viewport, not of the sheet.
  assert.deepEqual(boxesOf(one!.sheets[0]!), [
    '255 0 0 at 0, 450 tall',
    '0 0 255 at 450, 225 tall',
    '0 255 0 at 675, 750 tall',
  ]);
  assert.equal(sizeOf(small!.sheets[0]!), '612x821');
  assert.deepEqual(boxesOf(small!.sheets[0]!), [
    '255 0 0 at 72, 225 tall',
    '0 0 255 at 297, 112 tall',
    '0 255 0 at 409, 375 tall',
  ]);
  // The next PDF is printed as if it were the only one.
  const [alone] = await print('/landing', {});
  assert.deepEqual(usual!.sheets, alone!.sheets);
});

test('v2 single_page: short, wide and broken pages', async () => {
  const sizes = {
    '/short': '612x226',
    '/no-doctype': '612x226',
    '/no-doctype-tall': '612x451',
    '/wide': '612x1225',
  };
  for (const [path, size] of Object.entries(sizes)) {
    const [pdf] = await print(path, { singlePage: true });
    assert.deepEqual([path, pdf!.sheets.map(sizeOf)], [path, [size]]);
  }
  const [broken] = await print('/chapters', { singlePage: true });
  assert.deepEqual([broken!.sheets.length, broken!.sheets[0]!.fills.length], [1, 12]);
});

test('v2 single_page: cut at 14,400 pt, and says so', async () => {
  const pdfs = await print('/endless', { singlePage: true });
  const [{ pages, truncated, sheets }] = pdfs as [Pdf];
  assert.deepEqual([pages, truncated, sizeOf(sheets[0]!)], [1, true, '612x14400']);
  assert.deepEqual(pdfs.warnings, [
    'content_cut: the page was cut at 14,400 pt, the longest page that a PDF may have',
  ]);
});
