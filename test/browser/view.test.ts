// How a page is seen: what its scripts, its frames and workers, and its server are told. v2 2 (view).
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { after, before, test } from 'node:test';
import { plainPdf, plainPicture, plainView, type Output, type View } from '#browser/job.ts';
import { useTestBrowser, type TestBrowser } from '#test/support/browser.ts';
import { startPageServer, type PageServer, type Route } from '#test/support/page-server.ts';
import { readPdf } from '#test/support/pdf.ts';
import { colourOf } from '#test/support/pixels.ts';
import { paperInches } from '#renders/paper.ts';

interface Report {
  who: string;
  headers: IncomingMessage['headers'];
  facts: Record<string, unknown>;
}

let server: PageServer;
let other: PageServer;
let kit: TestBrowser;
let reports: Report[] = [];

/** Runs in pages and in workers. */
const look = `const reportTo = self.origin + '/report?'; const look = (who) => fetch(reportTo + who, { method: 'POST', body: JSON.stringify({
  userAgent: navigator.userAgent, languages: navigator.languages.join(), locale: Intl.NumberFormat().resolvedOptions().locale,
  number: (1234.5).toLocaleString(), hour: new Date(0).getHours(), platform: navigator.platform,
  brands: navigator.userAgentData?.brands.map(({ brand, version }) => brand + version).join(), hint: navigator.userAgentData?.platform,
  ...(self.document && { media: ['print', 'screen', '(prefers-color-scheme: dark)', '(prefers-reduced-motion)', '(pointer: coarse)',
      '(prefers-contrast: more)', '(prefers-contrast: less)', '(forced-colors: active)'].filter((query) => matchMedia(query).matches),
    ratio: devicePixelRatio, touch: navigator.maxTouchPoints, width: innerWidth, orientation: screen.orientation.type }) }) });`;
/** Not from an address: the settle waits for the script of a worker for as long as it waits for any request. */
const startWorker = (who: string) =>
  `new Worker(URL.createObjectURL(new Blob([${JSON.stringify(`${look} look('${who}')`)}])))`;
const framed = (html: string) =>
  `<!doctype html><meta name="viewport" content="width=device-width"><script>${look}</script>${html}`;

const report: Route = (request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += String(chunk)));
  request.on('end', () => {
    reports.push({ who: request.url!.split('?')[1]!, headers: request.headers, facts: JSON.parse(body) });
    response.end();
  });
};
const service: Route = (_, response) =>
  void response.setHeader('content-type', 'text/javascript').end(`${look} look('service worker')`);

before(async () => {
  other = await startPageServer(
    {
      '/frame': framed(`<script>look('frame'); ${startWorker('worker of the frame')}</script>`),
      '/report': report,
    },
    { address: '127.0.0.2' },
  );
  server = await startPageServer({
    '/page':
      framed(`<body style="height:3000px"><p>text</p><iframe src="${other.base}/frame" width="300"></iframe><script>look('page'); ${startWorker('worker')};
      navigator.serviceWorker.register('/service')</script>`),
    '/service': service,
    '/report': report,
  });
  kit = await useTestBrowser([server.host, other.host]);
});
after(() => Promise.all([server.close(), other.close()]));

const size = { width: 800, height: 600 };

async function render(url: string, view: Partial<View>, output: Output = plainPicture): Promise<Buffer> {
  await using rendered = await kit.render(url, {
    view: { ...plainView, ...size, ...view },
    outputs: [output],
  });
  return readFile(rendered.outputs[0]!.path);
}

/** What each part of the page has reported. */
async function see(view: Partial<View>): Promise<Record<string, Report>> {
  reports = [];
  await render(`${server.base}/page`, view);
  return Object.fromEntries(reports.map((one) => [decodeURIComponent(one.who), one]));
}

const parts = ['page', 'frame', 'worker', 'worker of the frame', 'service worker'];
const inAll = (seen: Record<string, Report>, fact: (report: Report) => unknown) =>
  Object.fromEntries(parts.map((part) => [part, seen[part] && fact(seen[part])]));
const same = (value: unknown) => Object.fromEntries(parts.map((part) => [part, value]));

test('a page has the language and the time zone of the request, in its frames and workers too', async () => {
  const seen = await see({ locale: 'de-AT', timezone: 'Asia/Tokyo' });
  const fact = ({ facts, headers }: Report) => [
    facts['languages'],
    facts['number'],
    facts['hour'],
    headers['accept-language'],
  ];
  assert.deepEqual(inAll(seen, fact), same(['de-AT,de', '1\u00a0234,5', 9, 'de-AT,de;q=0.9']));
  const [page] = [seen['page']!];
  assert.match(String(page.facts['userAgent']), /Chrome/);
  assert.match(String(page.headers['sec-ch-ua']), /Chrom/);
});

const android = 'Mozilla/5.0 (Linux; Android 13) AppleWebKit/537.36 Chrome/120.0.6099.1 Mobile Safari/537.36';
test('a page has the user agent of the request, with client hints that say the same', async () => {
  const seen = await see({ userAgent: android, mobile: true, touch: true });
  assert.deepEqual(
    inAll(seen, ({ headers }) => headers['user-agent']),
    same(android),
  );
  for (const part of ['page', 'frame', 'worker', 'worker of the frame'])
    assert.deepEqual(
      [seen[part]?.facts['userAgent'], seen[part]?.facts['brands'], seen[part]?.facts['hint']],
      [android, 'Chromium120,Google Chrome120', 'Android'],
    );
  const { facts, headers } = seen['page']!;
  assert.equal(headers['sec-ch-ua'], '"Chromium";v="120", "Google Chrome";v="120"');
  assert.deepEqual([headers['sec-ch-ua-mobile'], headers['sec-ch-ua-platform']], ['?1', '"Android"']);
  assert.deepEqual([facts['platform'], facts['touch']], ['Linux armv81', 5]);
  assert.deepEqual(facts['media'], ['screen', '(pointer: coarse)']);
});

test('a browser that is not made from Chromium sends no client hints', async () => {
  const userAgent = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Version/17.0 Mobile Safari/604.1';
  const { facts, headers } = (await see({ userAgent }))['page']!;
  assert.deepEqual(
    [facts['userAgent'], facts['platform'], facts['brands'], headers['sec-ch-ua']],
    [userAgent, 'iPhone', '', undefined],
  );
});

test('a page has the media of the request, in frames of other sites too', async () => {
  const seen = await see({ colorScheme: 'dark', reducedMotion: true, media: 'print' });
  for (const part of ['page', 'frame'])
    assert.deepEqual(seen[part]?.facts['media'], [
      'print',
      '(prefers-color-scheme: dark)',
      '(prefers-reduced-motion)',
    ]);
});

test('a page is told the contrast of the request, in frames of other sites too', async () => {
  for (const contrast of ['more', 'less'] as const) {
    const seen = await see({ contrast });
    for (const part of ['page', 'frame'])
      assert.deepEqual(seen[part]?.facts['media'], ['screen', `(prefers-contrast: ${contrast})`]);
  }
  const forced = await see({ forcedColors: true });
  for (const part of ['page', 'frame'])
    assert.match(String(forced[part]?.facts['media']), /\(forced-colors: active\)/, part);
});

test('forced colours are painted, of the colour scheme of the request', async () => {
  const url = server.route(
    '/red',
    '<!doctype html><style>html, body { background: #ff0000; height: 100% }</style><p>text',
  );
  const corner = async (view: Partial<View>) => colourOf(await render(url, view), 400, 300);
  assert.deepEqual(
    [
      await corner({}),
      await corner({ forcedColors: true }),
      await corner({ forcedColors: true, colorScheme: 'dark' }),
    ],
    ['rgb(255,0,0)', 'white', 'rgb(0,0,0)'],
  );
});

test('a PDF shows what is for the printer, unless the request says screen', async () => {
  const url = server.route(
    '/media',
    '<!doctype html><style>div { height: 100px } @media print { div { background: #0000ff } } @media screen { div { background: #ff0000 } }</style><div></div>',
  );
  const pdf: Output = { ...plainPdf, paper: paperInches.a4 };
  const colours = async (view: Partial<View>) =>
    readPdf(await render(url, view, pdf))[0]!.fills.map(({ colour }) => colour);
  assert.deepEqual([await colours({}), await colours({ media: 'screen' })], [['0 0 255'], ['255 0 0']]);
});

test('a phone: its pixels, its viewport and its orientation', async () => {
  const mobile = { width: 390, height: 844, pixelRatio: 3, mobile: true };
  const { facts } = (await see(mobile))['page']!;
  assert.deepEqual([facts['ratio'], facts['width'], facts['orientation']], [3, 390, 'portrait-primary']);
  const wide = server.route('/wide', '<!doctype html><script>fetch("/wide-" + innerWidth)</script>');
  await render(wide, mobile);
  assert.ok(
    server.seen.includes('GET /wide-980'),
    'a page without a viewport of its own is laid out for a desktop',
  );
});

test('a page is told the place of the request without a question', async () => {
  const url = server.route(
    '/place',
    `<!doctype html><script>navigator.geolocation.getCurrentPosition(({ coords: c }) => fetch('/at?' + [c.latitude, c.longitude, c.accuracy]), () => fetch('/refused'))</script>`,
  );
  await render(url, { geolocation: { latitude: 48.2, longitude: 16.4, accuracy: 25 } });
  await render(url, {});
  const asked = server.seen.filter((seen) => /at\?|refused/.test(seen));
  assert.deepEqual(asked, ['GET /at?48.2,16.4,25', 'GET /refused']);
});

test('a view that the browser does not know leaves the page as usual', async () => {
  const { facts } = (await see({ locale: 'not a locale', timezone: 'Nowhere/Land' }))['page']!;
  assert.deepEqual([facts['locale'], facts['hour']], ['en-US', 0]);
});

test('no pointer is over the page', async () => {
  const url = server.route(
    '/hover',
    '<!doctype html><style>body { margin: 0; height: 2000px } div { width: 200px; height: 200px; background: #00a000 } div:hover { background: #c80000 }</style><div></div>',
  );
  for (const fullPage of [false, true])
    assert.equal(await colourOf(await render(url, {}, { ...plainPicture, fullPage })), 'green');
});
