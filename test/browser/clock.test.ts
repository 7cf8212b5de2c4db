// A page whose time begins when the client says: its calendar, its pictures and its PDFs. v2 4 (clock).
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, beforeEach, test } from 'node:test';
import { plainPdf, plainPicture, plainView, type Output } from '#browser/job.ts';
import { useTestBrowser, type TestBrowser } from '#test/support/browser.ts';
import { startPageServer, type PageServer, type Route } from '#test/support/page-server.ts';
import { decode } from '#test/support/pixels.ts';
import { paperInches } from '#renders/paper.ts';

const clock = Date.UTC(2020, 0, 1, 12);
const at = (ms: number): string => new Date(clock + ms).toISOString();

let server: PageServer;
let other: PageServer;
let kit: TestBrowser;
/** What each part of a page says of its time, and of its monotonic clock. */
let told: Record<string, { date: string; now: number }> = {};

const tell = `const tell = (who) => fetch(self.origin + '/told?' + new URLSearchParams({ who, date: new Date().toISOString(), now: performance.now() }));`;
const hear: Route = (request, response) => {
  const {
    who = '',
    date = '',
    now = '',
  } = Object.fromEntries(new URL(request.url!, server.base).searchParams);
  told[who] = { date, now: Number(now) };
  response.setHeader('access-control-allow-origin', '*').end();
};
const page = (html: string) => `<!doctype html><body><script>${tell}</script>${html}`;
const late = (ms: number): Route => {
  return (_, response) => void setTimeout(() => response.end(), ms).unref();
};

before(async () => {
  other = await startPageServer(
    {
      '/told': hear,
      '/frame': page(`<script>tell('frame'); setTimeout(() => tell('frame later'), 1000)</script>`),
      '/next': page(`<script>tell('next')</script>`),
    },
    { address: '127.0.0.2' },
  );
  server = await startPageServer({
    '/told': hear,
    '/late': late(600),
    '/parts': page(`<script>tell('page'); setTimeout(() => tell('page later'), 1000);
      new Worker(URL.createObjectURL(new Blob([${JSON.stringify(`${tell} tell('worker')`)}])))</script><iframe src="${other.base}/frame"></iframe>`),
    '/away': page(`<script>tell('page'); setTimeout(() => (location = '${other.base}/next'), 100)</script>`),
    // It changes once a second, loads for a while, and colours the page by the second that it shows.
    '/countdown': page(`<h1 style="font:100px monospace"></h1><img src="/late"><script>
      const end = Date.UTC(2020, 0, 1, 12, 1);
      const show = () => { const left = Math.ceil((end - Date.now()) / 1000); document.querySelector('h1').textContent = left; document.body.style.background = 'rgb(' + left + ',0,0)' };
      show(); setInterval(show, 200)</script>`),
    // It never comes to rest, and has the colour of the tenths and the halves of a second that have passed.
    '/hundredths': page(`<script>let ticks = 0; setInterval(() => {
      document.title = ticks += 1;
      document.body.style.background = 'rgb(' + Math.floor(ticks / 10) + ',' + Math.floor(ticks / 50) + ',0)' }, 10)</script>`),
  });
  kit = await useTestBrowser([server.host, other.host]);
});
after(() => Promise.all([server.close(), other.close()]));
beforeEach(() => {
  told = {};
});

async function render(path: string, outputs: Output[] = [plainPicture]): Promise<Buffer[]> {
  const view = { ...plainView, width: 400, height: 320, clock };
  await using rendered = await kit.render(server.base + path, { view, outputs });
  return Promise.all(rendered.outputs.map(({ path: file }) => readFile(file)));
}

test('the calendar begins with the document, in its frames of other sites and its workers too', async () => {
  await render('/parts');
  assert.equal(told['page']?.date, at(0));
  assert.equal(told['page later']?.date, at(1_000));
  const since = (who: string) => Date.parse(told[who]?.date ?? '') - clock;
  for (const who of ['frame', 'worker'])
    assert.ok(since(who) >= 0 && since(who) < 60_000, told[who]?.date ?? 'nothing');
  assert.equal(since('frame later') - since('frame'), 1_000);
  const passed = told['page later'].now - told['page'].now;
  assert.ok(passed >= 999 && passed <= 1_001, `the monotonic clock has gone on by ${passed} ms`);
});

test('the calendar goes on where a page navigates to another site', async () => {
  await render('/away');
  const since = Date.parse(told['next']?.date ?? '') - clock;
  assert.ok(since >= 0 && since < 60_000, told['next']?.date ?? 'nothing');
});

test('a countdown: the same picture twice, of the viewport and of the full page', async () => {
  const outputs = [plainPicture, { ...plainPicture, fullPage: true }];
  const first = await render('/countdown', outputs);
  const [viewport] = first;
  // Three seconds have passed, and the fourth has begun.
  assert.deepEqual((await decode(viewport!)).at(5, 300), [57, 0, 0]);
  assert.deepEqual(await render('/countdown', outputs), first);
});

test('a page that changes a hundred times a second has changed equally often in every picture', async () => {
  for (let round = 0; round < 4; round += 1) {
    const [picture] = await render('/hundredths');
    assert.deepEqual((await decode(picture!)).at(5, 300), [39, 7, 0]);
  }
});

test('a PDF was made at the time of the page', async () => {
  const [pdf] = await render('/countdown', [{ ...plainPdf, paper: paperInches.a4 }]);
  assert.match(pdf!.toString('latin1'), /CreationDate \(D:2020010112000\d/);
});

test('without a clock a page has the time of the machine', async () => {
  const before = Date.now();
  await using _rendered = await kit.render(`${server.base}/parts`);
  assert.ok(Date.parse(told['page']?.date ?? '') >= before - 1_000, told['page']?.date ?? 'nothing');
});
