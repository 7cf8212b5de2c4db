// Five calls that users of other services make in their first hour, as they would write them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { readPdf } from '#test/support/pdf.ts';
import { decode, isNear } from '#test/support/pixels.ts';
import { bearer } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';

const require = createRequire(import.meta.url);
const font = readFileSync(require.resolve('@expo-google-fonts/cousine/400Regular/Cousine_400Regular.ttf'));
const bannerColour = [255, 0, 170] as const;

const shop = `<!doctype html>
<title>Shop</title>
<style>
  body { margin: 0; font: 20px sans-serif; background: #fff; color: #111 }
  @media (prefers-color-scheme: dark) { body { background: #10141c; color: #eee } }
  article { height: 300px; padding: 24px; border-bottom: 1px solid #8888 }
  #onetrust-banner-sdk { position: fixed; inset: auto 0 0; height: 200px; background: rgb(${bannerColour.join()}) }
</style>
${['Lamp', 'Chair', 'Table', 'Shelf'].map((name) => `<article><h2>${name}</h2><p>In stock.</p></article>`).join('\n')}
<div id="onetrust-consent-sdk"><div id="onetrust-banner-sdk">We value your privacy.
  <button id="onetrust-accept-btn-handler">Accept all</button>
  <button id="onetrust-reject-all-handler">Reject all</button>
</div></div>
<script>
  for (const button of document.querySelectorAll('#onetrust-banner-sdk button'))
    button.onclick = () => document.getElementById('onetrust-consent-sdk').remove();
</script>`;

const article = `<!doctype html>
<html lang="en"><title>Tintypes</title>
<nav><a href="/">Start</a> <a href="/about">About</a></nav>
<main><article>
  <h1>Tintypes</h1>
  <p>A tintype is a photograph made by creating a direct positive on a thin sheet of metal. It was the picture of the
  fair and of the street, because it was dry within minutes and cost almost nothing.</p>
  <h2>How one is made</h2>
  <p>The plate is coated, exposed while it is <em>still wet</em>, and developed at once. The photographer carried a tent for it,
  and customers could take the picture home. See <a href="/process">the process</a>.</p>
  <table><tr><th>Plate</th><th>Size</th></tr><tr><td>Whole</td><td>6½ × 8½ in</td></tr></table>
</article></main>
<footer>All rights reserved.</footer></html>`;

const account = `<!doctype html>
<title>Account</title>
<style>body { margin: 40px } h1 { margin: 0 0 20px; height: 40px } #chart { width: 300px; height: 200px; background: linear-gradient(90deg, #06c 50%, #fc0 50%) }</style>
<h1>Revenue</h1><div id="chart"></div><p>Confidential.</p>`;

const invoice = `<!doctype html>
<title>Invoice 2026-118</title>
<style>
  @font-face { font-family: Brand; src: url(fonts/brand.ttf) }
  body { font: 14px Brand, serif }
  img { float: right; width: 120px }
  td { padding: 4px 24px 4px 0; border-bottom: 1px solid #ccc }
</style>
<img src="logo.svg" alt=""><h1>Invoice 2026-118</h1>
<table><tr><td>Lamp</td><td>2</td><td>118.00</td></tr><tr><td>Chair</td><td>1</td><td>240.00</td></tr></table>`;
const logo = `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="40"><rect width="120" height="40" fill="#e63946"/></svg>`;

const card = `<!doctype html>
<style>
  body { margin: 0; width: 1200px; height: 630px; display: grid; place-content: center; background: #1d3557; color: #f1faee;
    font: bold 84px sans-serif }
  small { font-size: 36px; font-weight: normal }
</style>
<main>Pictures of pages<br><small>as a service of your own</small></main>`;

let service: TestService;
let site: PageServer;
let key: string;

before(async () => {
  site = await startPageServer({
    '/shop': shop,
    '/article': article,
    '/account': (request, response) => {
      const isKnown = request.headers.authorization === 'Bearer of-the-page';
      response.writeHead(isKnown ? 200 : 401, { 'content-type': 'text/html' });
      response.end(isKnown ? account : '<!doctype html><h1>Sign in</h1>');
    },
  });
  service = await startService({ EGRESS_ALLOW: site.host });
  ({ key } = await service.newKey());
});
after(async () => {
  await service.stop();
  await site.close();
});

function render(body: object | FormData): Promise<Response> {
  const isForm = body instanceof FormData;
  return fetch(`${service.origin}/api/v2/renders`, {
    method: 'POST',
    headers: { ...bearer(key), ...(!isForm && { 'content-type': 'application/json' }) },
    body: isForm ? body : JSON.stringify(body),
  });
}

async function bytesOf(response: Response): Promise<Buffer> {
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.equal(response.status, 200, bytes.toString());
  return bytes;
}

test('10.4 a dark full page for retina screens as WebP, without its cookie banner', async () => {
  const response = await render({
    url: `${site.base}/shop`,
    format: 'webp',
    full_page: true,
    color_scheme: 'dark',
    viewport: { width: 800, height: 600, pixel_ratio: 2 },
    block: ['cookie_banners'],
  });
  const bytes = await bytesOf(response);
  assert.equal(response.headers.get('content-type'), 'image/webp');
  assert.equal(response.headers.get('x-service-page-status'), '200');
  assert.equal(response.headers.get('x-service-warnings'), '0');
  const picture = await decode(bytes);
  assert.deepEqual([picture.format, picture.width, picture.height], ['webp', 1600, 4 * 349 * 2]);
  assert.ok(isNear(picture.at(1500, 20), [16, 20, 28]), 'dark at the top');
  for (let y = 0; y < picture.height; y += 50)
    assert.ok(!isNear(picture.at(800, y), bannerColour, 60), `no banner at ${y}`);
});

test('an invoice from HTML with a logo and a font sent along', async () => {
  const form = new FormData();
  form.append(
    'request',
    JSON.stringify({
      html: invoice,
      format: 'pdf',
      paper_format: 'a4',
      margin: { top: '2cm', left: '2cm', right: '2cm' },
    }),
  );
  form.append('file', new Blob([logo]), 'logo.svg');
  form.append('file', new Blob([new Uint8Array(font)]), 'fonts/brand.ttf');
  const response = await render(form);
  const bytes = await bytesOf(response);
  assert.equal(response.headers.get('content-type'), 'application/pdf');
  const pages = readPdf(bytes);
  assert.deepEqual(
    pages.map(({ widthPt, heightPt }) => [Math.round(widthPt), Math.round(heightPt)]),
    [[596, 842]],
  );
  assert.match(bytes.toString('latin1'), /\/FontName \/\w+\+Cousine/, 'the font is in the document');
  assert.ok(
    pages[0]?.fills.some(({ colour }) => colour === '230 57 70'),
    'the logo is drawn',
  );
  assert.equal(response.headers.get('x-service-warnings'), '0');
});

test('a picture and the Markdown of one load', async () => {
  const response = await render({
    url: `${site.base}/article`,
    outputs: [
      { format: 'png', full_page: true },
      { format: 'markdown', main_content: true },
    ],
    response: 'json',
    reference: 'tintypes',
  });
  assert.equal(response.status, 200);
  const receipt = (await response.json()) as {
    id: string;
    state: string;
    reference: string;
    units: number;
    page: Record<string, unknown>;
    outputs: { format: string; url: string; width: number | null; text?: string }[];
    warnings: unknown[];
  };
  assert.deepEqual([receipt.state, receipt.reference, receipt.units], ['succeeded', 'tintypes', 1]);
  assert.deepEqual([receipt.page['status'], receipt.page['title']], [200, 'Tintypes']);
  assert.deepEqual(receipt.warnings, []);
  assert.deepEqual(
    site.seen.filter((line) => line === 'GET /article'),
    ['GET /article'],
  );
  const [picture, markdown] = receipt.outputs;
  const hosted = await fetch(service.origin + new URL(picture!.url).pathname);
  const { format, width } = await sharp(await bytesOf(hosted)).metadata();
  assert.deepEqual([format, width, picture!.width], ['png', 1440, 1440]);
  const text = markdown?.text ?? '';
  assert.match(text, /## How one is made/);
  assert.match(text, /_still wet_|\*still wet\*/);
  assert.match(text, new RegExp(`\\[the process\\]\\(${site.base}/process\\)`));
  assert.match(text, /\| Plate \| Size \|/);
  assert.doesNotMatch(text, /All rights reserved|About/);
});

test('10.4 one element of a page behind a token', async () => {
  const request = { url: `${site.base}/account`, selector: '#chart' };
  const response = await render({ ...request, headers: { authorization: 'Bearer of-the-page' } });
  const picture = await decode(await bytesOf(response));
  assert.deepEqual([picture.width, picture.height], [300, 200]);
  assert.deepEqual(
    [picture.at(75, 100), picture.at(225, 100)],
    [
      [0, 102, 204],
      [255, 204, 0],
    ],
  );

  const refused = await render({
    ...request,
    headers: { authorization: 'Bearer wrong' },
    fail_on: ['http_error'],
  });
  const { error } = (await refused.json()) as { error: Record<string, unknown> };
  assert.deepEqual([refused.status, error['code'], error['reason']], [502, 'render_failed', 'http_error']);
  assert.doesNotMatch(JSON.stringify(error), /wrong/);
});

test('a card for social media from HTML', async () => {
  const picture = await decode(
    await bytesOf(await render({ html: card, viewport: { width: 1200, height: 630 } })),
  );
  assert.deepEqual([picture.format, picture.width, picture.height], ['png', 1200, 630]);
  assert.deepEqual(picture.at(5, 5), [29, 53, 87]);
  const middle = Array.from({ length: 1200 }, (_, x) => picture.at(x, 280));
  assert.ok(
    middle.some((colour) => isNear(colour, [241, 250, 238], 4)),
    'the title is drawn',
  );
});
