// Tables of contents with the pages that their links lead to. v2 4.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { noChanges } from '#browser/job.ts';
import { useTestBrowser, type TestBrowser } from '#test/support/browser.ts';
import { readPrinted } from '#test/support/printed.ts';
import { chapters, everywhere, pdfOf, renderText } from '#test/browser/printed-kit.ts';

let kit: TestBrowser;

before(async () => {
  kit = await useTestBrowser([]);
});

const entry = (target: string, content = '') =>
  `<div>[${target} <a href="#${target}" data-page>${content}</a>]</div>`;

/** What stands in the brackets of the contents, by target. */
const numbersIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/\[(\S+)(.*?)\]/g)].map(([, target, number]) => [
      target,
      number!.trim().replace(/\s+/g, ' '),
    ]),
  );

/** Where each chapter really is. */
const placesOf = (pages: { text: string }[], count: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const heading = new RegExp(`Chapter ${index + 1}(?!\\d)`);
      return [`c${index + 1}`, String(pages.findIndex(({ text }) => heading.test(text)) + 1)];
    }),
  );

test('v2 page_numbers: the pages of a table of contents, which itself takes several', async () => {
  const count = 120;
  const contents = Array.from({ length: count }, (_, index) => entry(`c${index + 1}`)).join('');
  const { made, warnings } = await renderText(kit, contents + chapters(count, 2), [
    pdfOf({ pageNumbers: true, header: everywhere('head {{page}} of {{pages}}') }),
  ]);
  const { pages, targets } = await readPrinted(made[0]!.bytes);
  const places = placesOf(pages, count);
  assert.equal(places['c1'], '4', 'the contents take three pages');
  assert.deepEqual(numbersIn(pages.map(({ text }) => text).join(' ')), places);
  const found = Object.entries(targets).map(([name, page]) => [name, String(page)]);
  assert.deepEqual(Object.fromEntries(found), places);
  assert.match(pages[7]!.text, new RegExp(`head 8 of ${pages.length}$`));
  assert.deepEqual(warnings, []);
});

test('v2 page_numbers: words of a link stay, a number that keeps the place does not', async () => {
  const text = `${entry('c1', 'Words')}${entry('c2', '<b>99</b>')}${entry('c3', '?')}<a href="#c1">[plain c1]</a>
    <div>[odd <a href="#sp ace" data-page></a>]</div>
    <svg height="20"><a href="#c1" data-page><text y="15">[drawn c1]</text></a></svg>${chapters(3)}<h1 id="sp ace" style="break-before:page">odd</h1>`;
  const { made, warnings } = await renderText(
    kit,
    text,
    [pdfOf({ pageNumbers: true }), pdfOf({ pageNumbers: true, singlePage: true }), pdfOf()],
    { changes: { ...noChanges, javascript: false } },
  );
  const [numbered, single, plain] = await Promise.all(
    made.map(async ({ bytes }) => numbersIn((await readPrinted(bytes)).pages[0]!.text)),
  );
  assert.deepEqual(numbered, { c1: 'Words 2', c2: '3', c3: '4', plain: 'c1', odd: '5', drawn: 'c1' });
  assert.deepEqual(single, { c1: 'Words 1', c2: '1', c3: '1', plain: 'c1', odd: '1', drawn: 'c1' });
  // The next output has the page as it was.
  assert.deepEqual(plain, { c1: 'Words', c2: '99', c3: '?', plain: 'c1', odd: '', drawn: 'c1' });
  assert.deepEqual(warnings, []);
});

test('v2 page_numbers: a target on no page is left out, and a warning', async () => {
  const text = `${entry('c2')}${entry('none')}${entry('hidden')}<p id="hidden" style="display:none">x</p>${chapters(2)}`;
  const { made, warnings } = await renderText(kit, text, [pdfOf({ pageNumbers: true })]);
  const { pages } = await readPrinted(made[0]!.bytes);
  assert.deepEqual(numbersIn(pages[0]!.text), { c2: '3', none: '', hidden: '' });
  assert.deepEqual(warnings, ['content_cut: page_numbers: no page has the target of #none, #hidden']);
  assert.equal(made[0]!.truncated, false);
});

test('v2 page_numbers: with page_ranges they are those of the whole document', async () => {
  const text = `${entry('c1')}${entry('c3')}${chapters(3)}`;
  const fields = { pageNumbers: true, pageRanges: '1,3', footer: everywhere('{{page}} of {{pages}}') };
  const { made } = await renderText(kit, text, [pdfOf(fields)]);
  const { pages } = await readPrinted(made[0]!.bytes);
  assert.deepEqual(numbersIn(pages[0]!.text), { c1: '2', c3: '4' });
  assert.deepEqual(
    pages.map(({ text: all }) => /\d of \d$/.exec(all)?.[0]),
    ['1 of 4', '3 of 4'],
  );
});

test('v2 page_numbers: a page whose numbers never rest is printed three times, and a warning', async () => {
  // With the number of an even page the target moves to an odd one, and the other way round.
  const script = `addEventListener('beforeprint', () => {
      const isEven = Number(document.querySelector('a').textContent) % 2 === 0;
      document.querySelector('#gap').style.display = isEven ? 'block' : 'none'; });`;
  const text = `<p>[t <a href="#t" data-page></a>]<div id="gap" style="break-before:page">gap</div>
    <h1 id="t" style="break-before:page">target</h1><script>${script}</script>`;
  const { made, warnings } = await renderText(kit, text, [pdfOf({ pageNumbers: true })]);
  assert.ok(made[0]!.pages! >= 2);
  assert.deepEqual(warnings, [
    'content_cut: page_numbers: the numbers still moved after three prints; give them a fixed width',
  ]);
});
