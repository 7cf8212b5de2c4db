// Headers and footers: where they stand, what they may have of their own, and that they harm nothing else. v2 4.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { RenderFailure } from '#browser/browser.ts';
import { noAccess, plainView, type Job, type SourceFile } from '#browser/job.ts';
import { useTestBrowser, type TestBrowser } from '#test/support/browser.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { readPrinted, type PrintedPage } from '#test/support/printed.ts';
import { temporaryFolder } from '#test/support/processes.ts';
import { chapters, everywhere, pdfOf, pictureOf, renderText } from '#test/browser/printed-kit.ts';
import { coloursAt } from '#test/browser/pictures-kit.ts';

let server: PageServer;
let kit: TestBrowser;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;

before(async () => {
  folder = await temporaryFolder();
  server = await startPageServer({
    '/page': `<!doctype html><title>Served</title>${chapters(2)}`,
    '/logo.svg': (request, response) => {
      keys.push(String(request.headers['x-key']));
      response.setHeader('content-type', 'image/svg+xml');
      response.end(
        '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="40" height="40" fill="#00a000"/></svg>',
      );
    },
  });
  kit = await useTestBrowser([server.host]);
});
after(async () => {
  await server.close();
  await folder.remove();
});

const keys: string[] = [];
const title = `<!doctype html><title>A "book" & <more></title>`;

/** The texts of a page in its top margin, in its bottom margin, and between them. */
function inMargins({ texts, height }: PrintedPage): [top: string, bottom: string, body: string] {
  const where = (is: (y: number) => boolean) =>
    texts
      .filter(({ y }) => is(y))
      .map(({ text }) => text)
      .join(' ');
  return [where((y) => y > height - 72), where((y) => y < 72), where((y) => y >= 72 && y <= height - 72)];
}

async function print(
  text: string,
  fields: Parameters<typeof pdfOf>[0],
  job: Parameters<typeof renderText>[3] = {},
) {
  const { made, warnings } = await renderText(kit, text, [pdfOf(fields)], job);
  return { ...(await readPrinted(made[0]!.bytes)), made: made[0]!, warnings };
}

test('v2 header and footer: on every page, in its margins, with the values of the document', async () => {
  const { pages, warnings } = await print(
    title + chapters(3),
    {
      header: { usual: '<b>{{title}}</b> {{date}}', first: '', last: null },
      footer: {
        usual: '{{page}} of {{pages}} {{other}}',
        first: 'begin {{page}}',
        last: '<i>end {{page}}</i>',
      },
    },
    { view: { ...plainView, width: 1000, height: 600, mobile: true, colorScheme: 'dark', locale: 'de-CH' } },
  );
  const head = `A "book" & <more> ${new Intl.DateTimeFormat('de-CH', { dateStyle: 'long', timeZone: 'UTC' }).format()}`;
  assert.deepEqual(
    pages.map(inMargins).map((texts) => texts.map((text) => text.replace(/\s+/g, ' '))),
    [
      ['', 'begin 1', 'Chapter 1 end'],
      [head, '2 of 3 {{other}}', 'Chapter 2 end'],
      [head, 'end 3', 'Chapter 3 end'],
    ],
  );
  assert.deepEqual(warnings, []);
});

test('v2 header and footer: first wins on a document of one page', async () => {
  const margin = { usual: 'usual', first: 'first', last: 'last' };
  const { pages } = await print('<p>only', { header: margin, footer: { ...margin, first: null } });
  assert.deepEqual(pages.map(inMargins), [['first', 'last', 'only']]);
});

test('v2 header and footer: links, targets, outline and tags of the document stay', async () => {
  const text = `<a href="#c2">two</a> <a href="https://example.com/x?y=1">out</a>${chapters(3)}`;
  const fields = { outline: true, tagged: true };
  const plain = await print(text, fields);
  const printed = await print(text, {
    ...fields,
    header: everywhere('<a href="https://a.example/">{{page}}</a>'),
  });
  const kept = ({ pages, outline, targets, info }: typeof plain) => ({
    links: pages.map(({ links }) => links),
    tagged: pages.map(({ isTagged }) => isTagged),
    outline,
    targets,
    language: info['Language'],
  });
  assert.deepEqual(kept(printed), kept(plain));
  assert.deepEqual(printed.outline, ['Chapter 1', 'Chapter 2', 'Chapter 3']);
  assert.deepEqual(printed.targets, { c2: 3 });
  assert.deepEqual(printed.pages[0]!.links, ['#c2', 'https://example.com/x?y=1']);
  assert.ok(printed.pages[0]!.isTagged);
});

const fontFile = join(
  createRequire(import.meta.url).resolve('@expo-google-fonts/tinos/package.json'),
  '../400Regular_Italic/Tinos_400Regular_Italic.ttf',
);
const fileOf = (name: string, contentType: string, path: string): SourceFile => ({
  name,
  contentType,
  path,
  sizeBytes: 1,
});

test('v2 header and footer: styles, fonts and pictures of their own', async () => {
  const logo = join(folder.path, 'logo.svg');
  await writeFile(
    logo,
    '<svg xmlns="http://www.w3.org/2000/svg" width="96" height="48"><rect width="96" height="48" fill="#00a000"/></svg>',
  );
  const files = [fileOf('img/logo.svg', 'image/svg+xml', logo), fileOf('font.ttf', 'font/ttf', fontFile)];
  const fields = {
    header: everywhere(
      `<html><head><style>p { background: #c80000; height: 48px; margin: 0 } body { margin: 50px } @page { size: a5; margin: 3in }</style></head><body><p></p></body></html>`,
    ),
    footer:
      everywhere(`<style>@font-face { font-family: own; src: url(font.ttf) } p { font-family: own; margin: 0 }</style>
      <img src="img/logo.svg" style="display:block; float:left"><p>page {{page}}</p>`),
  };
  const text = `${chapters(2)}<style>p { color: blue; font-size: 50px }</style>`;
  const { made, warnings } = await renderText(kit, text, [pdfOf(fields), pictureOf(2, fields)], { files });
  assert.deepEqual(warnings, []);
  // The header's box is as wide as the text and in the middle of its margin; the footer's paragraph has no background.
  const places = {
    '97,30': 'red',
    '718,65': 'red',
    '94,48': 'white',
    '722,48': 'white',
    '110,1008': 'green',
    '180,1008': 'green',
    '250,1008': 'white',
    '110,970': 'white',
  };
  assert.deepEqual(await coloursAt(made[1]!.bytes, places), places);
  const { pages, missingFonts } = await readPrinted(made[0]!.bytes);
  assert.deepEqual(missingFonts, []);
  assert.deepEqual(
    pages.map(({ texts }) =>
      texts
        .filter(({ text: one }) => one.startsWith('page'))
        .map(({ text: one, font }) => [one, font.split('+')[1]]),
    ),
    [[['page 1', 'Tinos-Italic']], [['page 2', 'Tinos-Italic']]],
  );
});

test('v2 header and footer: a number in their styles is that of the page, and other names in braces stay', async () => {
  const counted = '<style>p { margin: 0 } p::before { content: "{{page}} of {{pages}}" }</style><p></p>';
  const { pages } = await print(chapters(3), {
    header: everywhere(counted),
    footer: everywhere('{{constructor}} {{ page }} {{Page}}'),
  });
  assert.deepEqual(
    pages.map((page) => inMargins(page).slice(0, 2)),
    ['1 of 3', '2 of 3', '3 of 3'].map((number) => [number, '{{constructor}} {{ page }} {{Page}}']),
  );
});

test('v2 header and footer: of a page on the web they find addresses beside it, with its secrets', async () => {
  const header = everywhere(
    '<img src="logo.svg"><img src="/missing.png"><img src="https://127.0.0.1:1/x.png">{{title}} {{url}}',
  );
  const source = { kind: 'url' as const, url: `${server.base}/page?a=1&amp=2` };
  const { pages, warnings } = await print(
    '',
    { header },
    { source, access: { ...noAccess, headers: { 'x-key': 'k' } } },
  );
  assert.deepEqual(inMargins(pages[1]!), [`Served ${source.url}`, '', 'Chapter 2 end']);
  assert.deepEqual(keys, ['k']);
  assert.deepEqual(warnings.toSorted(), [
    'request_failed: the request failed',
    'request_failed: the request was answered with status 404',
  ]);
  await assert.rejects(
    print(
      '',
      { header },
      { source, waits: { ...waits, failOn: [{ on: 'request_failed', statuses: null, exceptHosts: [] }] } },
    ),
    ({ reason, field }: RenderFailure) => reason === 'request_failed' && field === 'fail_on',
  );
});

const waits: Job['waits'] = {
  until: 'settled',
  for: [],
  delayMs: 0,
  settles: true,
  failOn: [],
  navigationMs: 25_000,
};

test('v2 header and footer: backgrounds follow print_background', async () => {
  const header = everywhere('<div style="background:#c80000;height:50px">x</div>');
  const { made } = await renderText(kit, '<p>', [
    pictureOf(1, { header }),
    pictureOf(1, { header, printBackground: false }),
    pictureOf(1, { header }, { omitBackground: true }),
  ]);
  const seen = await Promise.all(made.map(({ bytes }) => coloursAt(bytes, { '300,40': '', '300,85': '' })));
  assert.deepEqual(seen[0], { '300,40': 'red', '300,85': 'white' });
  assert.deepEqual(seen[1], { '300,40': 'white', '300,85': 'white' });
  assert.equal(seen[2]!['300,40'], 'red');
});

test('v2 header and footer: what does not fit the margin is cut, and a warning', async () => {
  const tall = '<div style="height:95px">above</div><div>below</div>';
  const { pages, made, warnings } = await print(chapters(2), {
    header: { usual: 'fits', first: null, last: tall },
    footer: everywhere('<div style="width:800px;white-space:nowrap">wide</div>'),
  });
  assert.deepEqual(
    pages.map((page) => inMargins(page)[0]),
    ['fits', 'above'],
  );
  assert.equal(made.truncated, true);
  assert.equal(warnings.length, 1);
  assert.match(
    warnings[0]!,
    /^content_cut: header: is \d+ px tall on page 2, but the top margin has 96 px; the rest was cut; footer: is wider than the paper on page 1; /,
  );
  const none = await print('<p>text', {
    header: everywhere('head'),
    marginInches: { top: 0, right: 0, bottom: 0, left: 0 },
  });
  assert.deepEqual(none.warnings, [
    'content_cut: header: is not shown, because the top margin is 0; set margin.top',
  ]);
});

test('v2 header and footer: margins of a style sheet give way, except those of a special page', async () => {
  const styles = '@page { margin: 5mm } @page :first { margin: 0 } body { margin: 0; font: 12pt serif }';
  const text = `<style>${styles}</style><div style="break-after:page">cover</div>second`;
  const { made, warnings } = await renderText(kit, text, [
    pdfOf({ header: { usual: '{{page}}', first: '', last: null } }),
    pdfOf(),
  ]);
  const [printed, plain] = await Promise.all(made.map(({ bytes }) => readPrinted(bytes)));
  const placeOf = (page: PrintedPage | undefined, word: string) =>
    page?.texts.find((one) => one.text === word);
  assert.ok(placeOf(printed!.pages[0], 'cover')!.y > 792 - 20 && placeOf(printed!.pages[0], 'cover')!.x < 1);
  assert.ok(Math.abs(placeOf(printed!.pages[1], 'second')!.x - 72) < 1);
  assert.deepEqual(inMargins(printed!.pages[1]!), ['2', '', 'second']);
  // The next output has the page as it was.
  assert.ok(Math.abs(placeOf(plain!.pages[1], 'second')!.x - 14.17) < 1);
  assert.deepEqual(warnings, []);
});

test('v2 header and footer: with page_ranges, single_page and paper of several sizes', async () => {
  const footer = { usual: '{{page}} of {{pages}}', first: 'first', last: 'last {{page}}' };
  const sized = '<style>@page wide { size: a3 landscape } #wide { page: wide }</style>';
  const { made, warnings } = await renderText(kit, `${sized}${chapters(5)}<p id="wide">wide`, [
    pdfOf({ footer, pageRanges: '6,3-4,4' }),
    pdfOf({ footer, singlePage: true }),
    pdfOf({ footer, preferCssPageSize: true }),
  ]);
  const [some, single, all] = await Promise.all(made.map(({ bytes }) => readPrinted(bytes)));
  const footers = (printed: typeof some) => printed!.pages.map((page) => inMargins(page)[1]);
  assert.deepEqual(footers(some), ['3 of 6', '4 of 6', 'last 6']);
  assert.deepEqual(footers(single), ['first']);
  assert.deepEqual(footers(all), ['first', '2 of 6', '3 of 6', '4 of 6', '5 of 6', 'last 6']);
  assert.deepEqual(
    all!.pages.map(({ width }) => Math.round(width)),
    [612, 612, 612, 612, 612, 1191],
  );
  assert.deepEqual([made.map(({ pages }) => pages), warnings], [[3, 1, 6], []]);
});

test('v2 header and footer: scripts in them do not run, and fonts that are none are left out', async () => {
  const fonts = `<style>@font-face { font-family: own; src: url(data:font/ttf;base64,bm8gZm9udA==) } p { font-family: own }</style>`;
  const scripts =
    '<script>for (;;);</script><img hidden src="data:," onerror="this.parentElement.textContent = 0">';
  const header = everywhere(`${fonts}${scripts}<p style="margin:0">{{page}}`);
  const { pages, missingFonts } = await print(chapters(2), { header });
  assert.deepEqual(
    pages.map((page) => inMargins(page)[0]),
    ['1', '2'],
  );
  assert.deepEqual(missingFonts, []);
});
