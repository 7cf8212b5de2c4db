// Sanitized SVGs in a real browser: ordinary ones look the same; hostile ones run nothing and load nothing, even opened as a page.
// The unsanitized files do harm in the same set-up, which shows that the check works. Spec 4.1.2.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, suite, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { contentPolicy } from '#site/hosted/send-blob.ts';
import { sanitizeSvg } from '#uploads/svg/sanitize-svg.ts';
import { launchTestChromium } from '#test/support/chromium.ts';
import { svgFixtures } from '#test/support/svg-fixtures.ts';

/** These do harm in this browser when opened unsanitized; the others need an older or a different browser. */
const harmful = `
  a-animated-href a-javascript a-javascript-encoded a-javascript-tabs css-import css-keyframes css-style-attribute
  css-unclosed css-url css-url-escaped encoding-utf16le-bom fe-image-external foreign-object-iframe
  foreign-object-script handler-encoded html-iframe-direct image-external image-relative namespace-remapped-prefix
  onbegin-animation onclick-and-friends onload-root pi-xml-stylesheet script-cdata script-external script-html-namespace
  script-plain script-prefixed
`
  .trim()
  .split(/\s+/);

const side = 300;
const documents = new Map<string, Buffer>();
const canaryHits: string[] = [];
const server = createServer((request, response) => {
  const path = (request.url ?? '').slice(1);
  const document = documents.get(path);
  if (document === undefined && path !== 'blank') canaryHits.push(`${request.headers.host}/${path}`);
  response.setHeader('content-type', path === 'blank' ? 'text/html' : 'image/svg+xml');
  if (path.endsWith('/hosted')) response.setHeader('content-security-policy', contentPolicy('image/svg+xml'));
  response.statusCode = document === undefined && path !== 'blank' ? 404 : 200;
  response.end(document ?? '');
});

suite('4.1.2 in a real browser', () => {
  let chromium: { browser: Browser; close: () => Promise<void> };
  let origin = '';

  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    origin = `http://127.0.0.1:${port}`;
    chromium = await launchTestChromium([`--host-resolver-rules=MAP canary.test 127.0.0.1:${port}`]);
  });
  after(async () => {
    await chromium.close();
    server.close();
  });

  test('ordinary SVGs look the same', async () => {
    const page = await openComparison();
    const wrong: string[] = [];
    for (const { name, bytes } of svgFixtures('ordinary')) {
      documents.set(`ordinary/${name}`, asShown(bytes));
      documents.set(`ordinary/${name}/sanitized`, sanitizeSvg(bytes));
      const { painted, different } = await compare(page, `/ordinary/${name}`, `/ordinary/${name}/sanitized`);
      if (painted < 50) wrong.push(`${name}: only ${painted} pixels show`);
      if (different > 0) wrong.push(`${name}: ${different} pixels differ`);
    }
    assert.deepEqual(wrong, []);
    await page.close();
  });

  test('opened as a page, the policy of a hosted file blocks nothing that was kept', async () => {
    const page = await chromium.browser.newPage({ viewport: { width: side, height: side } });
    const blocked: string[] = [];
    page.on('console', (message) => blocked.push(`${page.url()}: ${message.text()}`));
    for (const { name, bytes } of svgFixtures('ordinary')) {
      documents.set(`ordinary/${name}/hosted`, sanitizeSvg(bytes));
      await page.goto(`${origin}/ordinary/${name}/hosted`);
      // Fonts are loaded when text is drawn.
      await page.screenshot();
    }
    assert.deepEqual(blocked, []);
    documents.set('blocked/hosted', Buffer.from(readsElsewhere));
    await page.goto(`${origin}/blocked/hosted`);
    await page.screenshot();
    assert.match(blocked.join(), /violates the following Content Security Policy/);
    await page.close();
  });

  test('the comparison detects a difference', async () => {
    const page = await openComparison();
    documents.set('full', Buffer.from(triangle(9)));
    documents.set('less', Buffer.from(triangle(8.9)));
    const { different } = await compare(page, '/full', '/less');
    assert.ok(different > 10, `${different} pixels differ`);
    await page.close();
  });

  test('sanitized hostile SVGs run nothing and load nothing', async () => {
    const fixtures = svgFixtures('hostile').filter(({ name }) => !name.startsWith('refused-'));
    for (const { name, bytes } of fixtures) documents.set(`sanitized/${name}`, sanitizeSvg(bytes));
    canaryHits.length = 0;
    const harm = await openAll(fixtures.map(({ name }) => `sanitized/${name}`));
    assert.deepEqual(
      harm.filter(({ done }) => done.length > 0),
      [],
    );
    assert.deepEqual(canaryHits, []);
    assert.equal(harm.length, fixtures.length);
  });

  test('unsanitized, they do harm', async () => {
    for (const { name, bytes } of svgFixtures('hostile')) documents.set(`raw/${name}`, bytes);
    const harm = await openAll(harmful.map((name) => `raw/${name}`));
    assert.deepEqual(
      harm.filter(({ done }) => done.length === 0),
      [],
    );
    assert.ok(canaryHits.length > 10, `${canaryHits.length} requests reached the canary`);
  });

  async function openComparison(): Promise<Page> {
    const page = await chromium.browser.newPage({ viewport: { width: side, height: side } });
    await page.goto(`${origin}/blank`);
    return page;
  }

  /** Opens each document as a page, clicks into it and waits for two frames. */
  async function openAll(paths: string[]): Promise<{ path: string; done: string[] }[]> {
    const waiting = [...paths];
    const seen: { path: string; done: string[] }[] = [];
    const openSome = async (): Promise<void> => {
      const page = await chromium.browser.newPage({ viewport: { width: 100, height: 100 } });
      let [url, done]: [string, string[]] = ['', []];
      page.on('request', (request) => {
        if (request.url() !== url && !request.url().startsWith('data:'))
          done.push(`requested ${request.url()}`);
      });
      page.on('dialog', (dialog) => {
        done.push('dialog');
        void dialog.dismiss();
      });
      for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
        [url, done] = [`${origin}/${path}`, []];
        seen.push({ path, done });
        await page.goto(url);
        await page.mouse.click(50, 50);
        const twoFrames =
          'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))';
        if (await page.evaluate(`${twoFrames}.then(() => window.__pwned !== undefined)`))
          done.push('ran a script');
      }
      await page.close();
    };
    await Promise.all([openSome(), openSome(), openSome()]);
    return seen;
  }
});

/** Shows both as images of the same size in the same place, takes screenshots and counts pixels. */
async function compare(
  page: Page,
  left: string,
  right: string,
): Promise<{ different: number; painted: number }> {
  const [before, after] = [await show(page, left), await show(page, right)];
  let [different, painted] = [0, 0];
  for (let at = 0; at < before.length; at += 3) {
    const pixel = before.readUIntBE(at, 3);
    if (pixel !== after.readUIntBE(at, 3)) different += 1;
    if (pixel !== 0xffffff) painted += 1;
  }
  return { different, painted };
}

async function show(page: Page, url: string): Promise<Buffer> {
  const image = `<img src="${url}" style="position:fixed;inset:0;width:${side}px;height:${side}px">`;
  await page.evaluate(`document.body.innerHTML = ${JSON.stringify(image)}; document.images[0].decode()`);
  const screenshot = await page.screenshot();
  return sharp(screenshot).removeAlpha().raw().toBuffer();
}

const triangle = (height: number): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v${height}z"/></svg>`;

const readsElsewhere =
  '<svg xmlns="http://www.w3.org/2000/svg"><image width="9" height="9" href="/else.png"/></svg>';

/** As an image, this browser does not show an unsanitized SVG without a namespace or in Latin-1, but does show the sanitized one. */
function asShown(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1');
  if (text.includes('encoding="ISO-8859-1"')) return Buffer.from(text.replace('ISO-8859-1', 'UTF-8'));
  if (!text.startsWith('<svg ') || text.includes('xmlns')) return bytes;
  return Buffer.from(text.replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" '));
}
