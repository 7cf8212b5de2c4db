// A book of 200 pages in one request, with a cover, contents, running margins, a web font and a logo; and documents of 2,000 pages,
// nested frames and broken fonts, which end within the time of a render. v2 4.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { before, test } from 'node:test';
import type { RenderFailure } from '#browser/browser.ts';
import type { SourceFile } from '#browser/job.ts';
import { useTestBrowser, type TestBrowser } from '#test/support/browser.ts';
import { temporaryFolder } from '#test/support/processes.ts';
import { readPrinted } from '#test/support/printed.ts';
import { chapters, everywhere, pdfOf, pictureOf, renderText } from '#test/browser/printed-kit.ts';

let kit: TestBrowser;
let book: Buffer;

before(async () => {
  kit = await useTestBrowser([]);
});

const require = createRequire(import.meta.url);
const files: SourceFile[] = [
  {
    name: 'own.ttf',
    contentType: 'font/ttf',
    path: join(
      require.resolve('@expo-google-fonts/tinos/package.json'),
      '../400Regular_Italic/Tinos_400Regular_Italic.ttf',
    ),
    sizeBytes: 1,
  },
  {
    name: 'logo.png',
    contentType: 'image/png',
    path: join(import.meta.dirname, '../../docs/sample.png'),
    sizeBytes: 1,
  },
];

const header = {
  usual: '<div style="border-bottom:1px solid;font:9pt sans-serif">{{title}}</div>',
  first: '',
  last: null,
};
const footer = {
  usual: `<style>@font-face { font-family: own; src: url(own.ttf) } div { display: flex; justify-content: space-between; font: 9pt own }</style>
    <div><img src="logo.png" height="24"><span>Page {{page}} of {{pages}}</span></div>`,
  first: '',
  last: null,
};

test('a book of 200 pages in one request: cover, contents, margins, font and logo', async () => {
  const count = 99;
  const entries = Array.from(
    { length: count },
    (_, index) =>
      `<li><a href="#c${index + 1}">About ${index + 1}</a> [<a href="#c${index + 1}" data-page></a>]`,
  ).join('');
  const text = `<!doctype html><html lang="en"><title>The Book</title>
    <style>@page :first { margin: 0 } body { margin: 0 } .cover { height: 10in; background: #00a000; break-after: page }
      ol { columns: 2; font: 10pt serif } a[data-page] { display: inline-block; min-width: 4ch; text-align: right }</style>
    <div class="cover">Cover</div><ol>${entries}</ol>${chapters(count, 2)}`;
  const fields = {
    header,
    footer,
    pageNumbers: true,
    outline: true,
    documentInfo: { title: 'The Book', author: 'A' },
  };
  const plainAt = performance.now();
  await renderText(kit, text, [pdfOf({ outline: true })]);
  const bookAt = performance.now();
  const { made, warnings } = await renderText(kit, text, [pdfOf(fields)], { files });
  const endedAt = performance.now();
  console.log(`plain ${Math.round(bookAt - plainAt)} ms, with everything ${Math.round(endedAt - bookAt)} ms`);
  assert.deepEqual(warnings, []);
  book = made[0]!.bytes;
  const { pages, outline, targets, missingFonts } = await readPrinted(book);
  assert.equal(pages.length, 200);
  assert.equal(pages[0]!.text, 'Cover');
  for (const [index, page] of pages.entries()) {
    if (index === 0) continue;
    assert.match(page.text, new RegExp(`The Book +Page ${index + 1} of 200$`));
    const [foot] = page.texts.slice(-1);
    assert.match(foot!.font, /Tinos-Italic$/);
    assert.ok(foot!.y < 72 && foot!.x > 400);
  }
  const numbers = [...pages[1]!.text.matchAll(/About (\d+) +\[ *(\d+) *\]/g)].map(([, chapter, page]) => [
    chapter,
    page,
  ]);
  assert.deepEqual(
    numbers,
    Array.from({ length: count }, (_, index) => [String(index + 1), String(2 * index + 3)]),
  );
  for (const [chapter, page] of numbers)
    assert.match(pages[Number(page) - 1]!.text, new RegExp(`^Chapter ${chapter} `));
  assert.deepEqual(
    targets,
    Object.fromEntries(numbers.map(([chapter, page]) => [`c${chapter}`, Number(page)])),
  );
  assert.deepEqual([outline.length, missingFonts], [count, []]);
  assert.equal(pages[1]!.links.length, 2 * count);
});

test('2,000 pages with margins of their own are right, or end with the time of the render', async () => {
  const text = `<a href="#c1999">last</a>${chapters(1_999)}`;
  const outputs = [pdfOf({ header, footer, password: 'p' })];
  const rendered = await renderText(kit, text, outputs, { files, timeoutMs: 90_000 }).catch(
    // What this many pages cost depends on the machine.
    (error: RenderFailure) => assert.equal(error.reason, 'timed_out', String(error)),
  );
  if (!rendered) return;
  assert.deepEqual([rendered.made[0]!.pages, rendered.warnings], [2_000, []]);
  const { pages, targets } = await readPrinted(rendered.made[0]!.bytes, 'p');
  assert.match(pages[1_999]!.text, /Chapter 1999 end .*Page 2000 of 2000$/);
  assert.deepEqual(targets, { c1999: 2_000 });
});

/** Debian's package has it; its exit code is 2 for errors and 3 for warnings. */
async function qpdf(args: string[], bytes: Buffer) {
  const folder = await temporaryFolder();
  const file = join(folder.path, 'document.pdf');
  await writeFile(file, bytes);
  const outcome = spawnSync('qpdf', [...args, file], { encoding: 'utf8' });
  await folder.remove();
  return outcome;
}

test(
  'qpdf finds the book and an encrypted document sound',
  { skip: spawnSync('qpdf', ['--version']).error ? 'qpdf is not on this machine' : false },
  async () => {
    const { made } = await renderText(kit, chapters(3), [pdfOf({ header, footer, password: 'p' })], {
      files,
    });
    const locked = made[0]!.bytes;
    const cases: [bytes: Buffer, args: string[], says: RegExp][] = [
      [book, ['--check'], /File is not encrypted/],
      [locked, ['--check', '--password=p'], /file encryption method: AESv3/],
    ];
    for (const [bytes, args, says] of cases) {
      const { status, stdout, stderr } = await qpdf(args, bytes);
      assert.deepEqual([status, stderr], [0, '']);
      assert.match(stdout, says);
      assert.match(stdout, /No syntax or stream encoding errors found/);
    }
    assert.equal((await qpdf(['--check', '--password=wrong'], locked)).status, 2);
    assert.equal((await qpdf(['--check'], book.subarray(0, -2_000))).status, 2);
  },
);

test('hostile documents end within the time of a render, and the next is as usual', async () => {
  const frames = (depth: number): string =>
    depth === 0
      ? 'deep'
      : `<iframe srcdoc="${frames(depth - 1)
          .replaceAll('&', '&amp;')
          .replaceAll('"', '&quot;')}"></iframe>`;
  const broken = `<style>@font-face { font-family: own; src: url(data:font/ttf;base64,AAEAAAAAAAAAAAAA) } body { font-family: own }</style>broken`;
  const links = Array.from(
    { length: 25_000 },
    (_, index) => `<a href="#t${index}" data-page id="t${index}"></a> `,
  ).join('');
  const growing = `<script>addEventListener('beforeprint', () => document.body.append(document.body.cloneNode(true)))</script>${chapters(50)}`;
  for (const text of [frames(6), broken, links, growing]) {
    const outputs = [pdfOf({ header: everywhere('{{page}}'), pageNumbers: true }), pictureOf(1)];
    const { made } = await renderText(kit, text, outputs, { timeoutMs: 30_000 }).catch(
      (error: RenderFailure) => {
        assert.ok(['timed_out', 'too_large', 'crashed', 'unprintable'].includes(error.reason), String(error));
        return { made: [] };
      },
    );
    for (const { sizeBytes } of made) assert.ok(sizeBytes > 0);
  }
  const { made } = await renderText(kit, '<p>next', [pdfOf({ header: everywhere('head') })]);
  assert.equal((await readPrinted(made[0]!.bytes)).pages[0]!.text, 'next head');
});
