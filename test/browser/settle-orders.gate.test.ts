// A page that goes to another document while it is rendered: at every command of the render, and in both orders. What arrives is rendered,
// with all of its time. Spec 4.3 (network settle).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestBrowser, type OwnTestBrowser } from '#test/support/browser.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { readPdf } from '#test/support/pdf.ts';
import { colourOf } from '#test/support/pixels.ts';
import { orderingChromium, type WrappedChromium } from '#test/support/wrapped-chromium.ts';
import { page } from './settle-kit.ts';

let server: PageServer;
let chromium: WrappedChromium;
let kit: OwnTestBrowser;
let isThere = false;
before(async () => {
  const arrives = (html: string) => (_: unknown, response: { end(html: string): void }) => {
    isThere = true;
    response.end(html);
  };
  server = await startPageServer({
    '/here': page(''),
    '/on': page(`onload = () => { location = '/green' }`),
    '/late': arrives(page('setTimeout(done, 2900)')),
    '/green': arrives(page('done()')),
  });
  chromium = await orderingChromium();
  const hosts = [server.host, server.host.replace('127.0.0.1', 'localhost')];
  kit = await startTestBrowser(hosts, { executable: chromium.path });
});
after(async () => {
  await kit.close();
  await chromium.remove();
  await server.close();
});

/** More commands than a render has. */
const most = 100;

/** Calls `render` with a page that leaves at each command in turn, until there is none left; resolves to their number. */
async function atEach(
  first: string,
  to: string,
  render: (url: string, isLeft: () => boolean) => Promise<void>,
): Promise<number> {
  for (let at = 1; at <= most; at += 1) {
    isThere = false;
    await render(`${server.base}/here?at=${at}&first=${first}&to=${to}`, () => isThere);
    if (!isThere) return at - 1;
  }
  return most;
}

for (const [first, title] of Object.entries({
  news: 'before the browser gets the command',
  command: 'while the command is on its way',
})) {
  test(`4.3 settle: a page that leaves ${title} is shown where it arrives, after all of its time`, async () => {
    const commands = await atEach(first, '/late', async (url, isLeft) => {
      const { bytes } = await kit.shoot(url, { width: 400, height: 400 });
      assert.equal(await colourOf(bytes), isLeft() ? 'green' : 'grey', url);
    });
    assert.ok(commands > 5 && commands < most, `${commands} commands`);
  });

  test(`4.4 a page that leaves ${title} is printed where it arrives`, async () => {
    const commands = await atEach(first, '/green', async (url, isLeft) => {
      const { bytes } = await kit.print(url, { waitUntil: 'load', printBackground: true });
      const isGreen = readPdf(bytes)[0]!.fills.some(({ colour }) => colour === '0 160 0');
      assert.equal(isGreen, isLeft(), url);
    });
    assert.ok(commands > 0 && commands < most, `${commands} commands`);
  });
}

for (const [title, script] of Object.entries({
  'a script': `location = '/green'`,
  'a script, twice': `location.replace('/on')`,
  'a form': `document.forms[0].submit()`,
  'a script that navigates to another site': `location = location.origin.replace('127.0.0.1', 'localhost') + '/green'`,
})) {
  test(`4.3 a page that navigates from its load event is shown where it arrives: ${title}`, async () => {
    const html = `${page(`onload = () => { ${script} }`)}<form action="/green"></form>`;
    const url = server.route('/goes', html);
    for (const fullPage of [false, true]) {
      const { bytes } = await kit.shoot(url, { width: 400, height: 400, fullPage });
      assert.equal(await colourOf(bytes), 'green');
    }
    const pdf = await kit.print(url, { waitUntil: 'load', printBackground: true });
    assert.ok(
      readPdf(pdf.bytes)[0]!.fills.some(({ colour }) => colour === '0 160 0'),
      'the PDF is green',
    );
  });
}
