// The warning that blurred shadows take most of a PDF's time and size. v2 6 (receipt).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { plainPdf, type PdfOutput } from '#browser/job.ts';
import { useTestBrowser, type TestBrowser } from '#test/support/browser.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';

let server: PageServer;
let kit: TestBrowser;

const cards = (count: number, style: string, more = '') =>
  `<!doctype html><style>p { width: 90px; ${style} } ${more}</style>${'<p>card'.repeat(count)}`;
const glass = async () => {
  const bytes = await sharp({ create: { width: 4, height: 4, channels: 4, background: '#f008' } })
    .png()
    .toBuffer();
  return `data:image/png;base64,${bytes.toString('base64')}`;
};

before(async () => {
  // Of different sizes: equal pictures are in a PDF once.
  const pictures = Array.from({ length: 12 }, (_, size) => `<img width=${size + 10} src="PICTURE#${size}">`);
  server = await startPageServer({
    '/box': cards(12, 'box-shadow: 0 2px 12px #000'),
    '/inset': cards(12, 'box-shadow: 3px 3px #f00, inset 0 0 9px #000'),
    '/text': cards(12, 'text-shadow: 0 0 4px #000'),
    '/filter': cards(12, 'filter: drop-shadow(0 0 5px #000)'),
    '/few': cards(9, 'box-shadow: 0 2px 12px #000'),
    '/sharp': cards(12, 'box-shadow: 5px 5px 0 9px #000'),
    '/screen': cards(12, 'box-shadow: 0 2px 12px #000', '@media print { p { box-shadow: none } }'),
    '/glass':
      cards(12, 'box-shadow: 0 2px 12px #000', '@media print { p { box-shadow: none } }') +
      pictures.join('').replaceAll('PICTURE', await glass()),
  });
  kit = await useTestBrowser([server.host]);
});
after(() => server.close());

const letter = { ...plainPdf, paper: { width: 8.5, height: 11 } };

async function warningsOf(path: string, ...outputs: Partial<PdfOutput>[]): Promise<string[]> {
  await using rendered = await kit.render(`${server.base}${path}`, {
    outputs: [{}, ...outputs].map((output) => ({ ...letter, ...output })),
  });
  return rendered.page.warnings.map(({ code, message }) => `${code}: ${message}`);
}

for (const path of ['/box', '/inset', '/text', '/filter'])
  test(`blurred shadows that are printed: ${path}`, async () => {
    const [warning, ...others] = await warningsOf(path);
    assert.match(String(warning), /^costly_shadows: 12 elements have blurred shadows/);
    assert.deepEqual(others, []);
  });

test('no warning: few shadows, shadows without blur, those of the screen only, and pictures that can be seen through', async () => {
  for (const path of ['/few', '/sharp', '/screen', '/glass'])
    assert.deepEqual([path, await warningsOf(path)], [path, []]);
});

test('two PDFs of one page have one warning', async () => {
  assert.equal((await warningsOf('/box', { landscape: true })).length, 1);
});
