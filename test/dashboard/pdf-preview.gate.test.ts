// The playground's PDF preview. The browser of the tests has no PDF viewer of its own, like many phones.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { nameOf } from '#test/support/pixels.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { finish, judge, startDashboard, type Dashboard, type WatchedPage } from '#test/dashboard/kit.ts';

let dashboard: Dashboard;
before(async () => {
  dashboard = await startDashboard();
});
after(() => dashboard.close());

const twoPages = `<!doctype html><html lang="en"><title>two</title>
  <style>
    body { margin: 0 }
    section { height: 5in; break-after: page; background: rgb(0 160 0) }
    section + section { background: rgb(200 0 0) }
  </style>
  <section>The first sheet</section><section>The second sheet</section>`;

async function run(page: WatchedPage, fields: object = {}): Promise<Locator> {
  const url = dashboard.site.route('/two.html', twoPages);
  const body = encodeURIComponent(JSON.stringify({ url, ...fields }));
  await page.goto(`/dashboard/playground?tab=pdf&body=${body}`);
  await page.getByRole('button', { name: 'Run' }).click();
  return page.getByRole('region', { name: /PDF, / });
}

/** A page whose runs all give these bytes. */
async function openWith(bytes: Buffer): Promise<WatchedPage> {
  const { page } = await dashboard.openAs();
  await page.route('**/api/dashboard/playground/pdf', (route) =>
    route.fulfill({ status: 200, contentType: 'application/pdf', body: bytes }),
  );
  return page;
}

/** Waits until this page is drawn; a pixel in its upper half, and how many device pixels a CSS pixel has. */
async function drawn(region: Locator, number: number): Promise<{ colour: string; ratio: number }> {
  await region.locator(`figure:nth-of-type(${number}) canvas`).waitFor();
  const { pixel, ratio } = await region.page().evaluate<{ pixel: number[]; ratio: number }>(`(() => {
    const canvas = document.querySelector('figure:nth-of-type(${number}) canvas');
    const { data } = canvas.getContext('2d').getImageData(canvas.width / 2, canvas.height / 4, 1, 1);
    return { pixel: [...data].slice(0, 3), ratio: canvas.width / canvas.clientWidth };
  })()`);
  return { colour: nameOf(pixel), ratio: Math.round(ratio) };
}

const looks = [
  ['desktop, light', 1, { colorScheme: 'light' }],
  ['phone, dark', 2, { viewport: { width: 390, height: 844 }, colorScheme: 'dark', deviceScaleFactor: 3 }],
] as const;
for (const [look, ratio, options] of looks) {
  test(`a PDF of two pages shows both, as wide as the panel, with their text (${look})`, async () => {
    const { page } = await dashboard.openAs({}, options);
    const region = await run(page);
    await region.getByText('Page 1 of 2').waitFor();
    assert.equal(await region.getAttribute('aria-label'), 'The PDF, 2 pages');
    assert.deepEqual(await drawn(region, 1), { colour: 'green', ratio });
    await region.getByText('The first sheet').waitFor();
    await judge(page, `pdf-${look.replace(', ', '-')}`);

    await region.getByText('Page 2 of 2').scrollIntoViewIfNeeded();
    assert.deepEqual(await drawn(region, 2), { colour: 'red', ratio });
    await region.getByText('The second sheet').waitFor();
    await finish(page);
  });
}

test('a hosted PDF is shown above its metadata', async () => {
  const { page } = await dashboard.openAs();
  const region = await run(page, { response: 'json' });
  assert.equal((await drawn(region, 1)).colour, 'green');
  await page.getByText('"paper_format": "letter"').waitFor();
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

test('bytes that are no PDF: the preview says so, and the download stays', async () => {
  const page = await openWith(Buffer.from('%PDF-1.7\nnothing that follows makes sense'));
  await run(page);
  await page.getByRole('alert').getByText('This PDF cannot be shown here').waitFor();
  await page.getByRole('link', { name: 'Download' }).waitFor();
  await finish(page, 'pdf-broken');
});

test('of a PDF of 900 pages, 500 are listed and only the few near the visible ones are drawn', async () => {
  const page = await openWith(blankPdf(900));
  const region = await run(page);
  await region.getByText('Page 500 of 900').waitFor();
  assert.equal(await region.locator('figure').count(), 500);
  await region.getByText('These are the first 500 pages.').waitFor();
  await region.locator('canvas').first().waitFor();
  assert.equal(await region.locator('figure').nth(10).locator('canvas').count(), 0);

  await region.getByText('Page 500 of 900').scrollIntoViewIfNeeded();
  await region.locator('figure').nth(499).locator('canvas').waitFor();
  await waitFor('erased pages', async () => (await region.locator('canvas').count()) <= 5);
  assert.equal(await region.locator('figure').first().locator('canvas').count(), 0);
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

/** The smallest PDF with this many empty pages. */
function blankPdf(count: number): Buffer {
  const kids = Array.from({ length: count }, (_, index) => `${index + 3} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${count} /Kids [${kids}] /MediaBox [0 0 612 792] >>`,
    ...Array.from({ length: count }, () => '<< /Type /Page /Parent 2 0 R >>'),
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const at = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const start = text.length;
  const size = objects.length + 1;
  return Buffer.from(
    `${text}xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}` +
      `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`,
  );
}
