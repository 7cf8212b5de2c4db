// The receipt of a render: where its page ended, with which status and title, and what went wrong in it; and renders that fail on it.
// v2 2 (receipt, fail_on).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { RenderFailure, type PageReceipt } from '#browser/browser.ts';
import {
  noChanges,
  plainPdf,
  plainPicture,
  plainView,
  type FailOn,
  type Job,
  type Output,
} from '#browser/job.ts';
import { limits } from '#core/limits.ts';
import { paperInches } from '#renders/paper.ts';
import { useTestBrowser, type TestBrowser } from '#test/support/browser.ts';
import { slowRoute, startPageServer, type PageServer } from '#test/support/page-server.ts';

let server: PageServer;
let kit: TestBrowser;

before(async () => {
  server = await startPageServer({
    '/slow': slowRoute,
    '/error': (_, response) => void response.writeHead(500).end('<title>Sorry</title>'),
    '/moved': (_, response) => void response.writeHead(302, { location: '/here?session=secret' }).end(),
    '/here': `<!doctype html><title>Here</title><p>here<script>history.pushState(0, '', '/there?token=secret#f');
      document.title = 'There'</script>`,
    '/worker.js': (_, response) => void response.setHeader('content-type', 'text/javascript').end('0'),
    '/events': (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    },
  });
  const closed = await startPageServer();
  await closed.close();
  closedHost = closed.host;
  kit = await useTestBrowser([server.host, closedHost]);
});
let closedHost: string;
after(() => server.close());

async function receiptOf(url: string, job: Partial<Job> = {}): Promise<PageReceipt> {
  const view = { ...plainView, width: 320, height: 320 };
  await using made = await kit.render(url, { view, ...job });
  return made.page;
}

const failOn = (...wanted: (FailOn | FailOn['on'])[]): Job['waits'] => ({
  until: 'settled',
  for: [],
  delayMs: 0,
  settles: true,
  failOn: wanted.map((one) => (typeof one === 'string' ? { on: one, statuses: null, exceptHosts: [] } : one)),
  navigationMs: limits.navigationMs,
});

test('a receipt says where the page ended, without what may be secret', async () => {
  const url = `${server.base.replace('//', '//user:password@')}/moved?key=secret`;
  assert.deepEqual(await receiptOf(url), {
    finalUrl: `${server.base}/there`,
    status: 200,
    title: 'There',
    width: 320,
    height: 320,
    warnings: [],
  });
});

test('a receipt says how far the page can be scrolled, whatever is made of it', async () => {
  const doctype = '<!doctype html><style>body { margin: 0 }</style>';
  const url = server.route('/large', `${doctype}<div style="width: 500.5px; height: 3000px">`);
  const pdf: Output = { ...plainPdf, paper: paperInches.a4 };
  const tall: Output = { ...plainPicture, fullPage: true };
  const text: Output = { format: 'text', selector: null, mainContent: false };
  for (const outputs of [[plainPicture], [tall], [pdf], [text], [{ ...pdf, singlePage: true }, tall, text]]) {
    const { width, height } = await receiptOf(url, { outputs });
    assert.deepEqual([width, height], [501, 3000], outputs.map(({ format }) => format).join());
  }
  const view = { ...plainView, width: 320, height: 320 };
  const sharp = await receiptOf(url, { view: { ...view, pixelRatio: 2 } });
  assert.deepEqual([sharp.width, sharp.height], [501, 3000]);
  // A page for small screens is as wide as they are, and one that is not is as wide as it asks for.
  const phone = { ...view, mobile: true, touch: true };
  for (const [name, content, width] of [
    ['/small', 'width=device-width', 320],
    ['/wide', 'width=980', 980],
  ] as const) {
    const made = `${doctype}<meta name="viewport" content="${content}"><div style="height: 3000px">`;
    const size = await receiptOf(server.route(name, made), { view: phone });
    assert.deepEqual([size.width, size.height], [width, 3000], name);
  }
});

test('a receipt of a full page has the size of what scrolling has loaded', async () => {
  const url = server.route(
    '/lazy',
    `<!doctype html><style>body { margin: 0 }</style><div style="height: 1000px"></div><div id="end">end</div><script>
    new IntersectionObserver(([{ isIntersecting }], observer) => {
      if (!isIntersecting) return;
      observer.disconnect();
      document.getElementById('end').style.height = '500px';
    }).observe(document.getElementById('end'))</script>`,
  );
  const { height } = await receiptOf(url, { outputs: [{ ...plainPicture, fullPage: true }] });
  assert.equal(height, 1500);
});

test('a document of the request has no status, and no address if it was given none; a missing file is named', async () => {
  const text =
    '<title>Mine</title><img src="img/a.png?1"><img src="https://nowhere.invalid/b.png"><script>throw "up"</script>';
  const source = { kind: 'html' as const, text, files: [] };
  const { warnings, ...rest } = await receiptOf('', { source: { ...source, baseUrl: null } });
  assert.deepEqual(rest, { finalUrl: null, status: null, title: 'Mine', width: 320, height: 320 });
  const byAddress = warnings.toSorted((one, other) => (one.url ?? '').localeCompare(other.url ?? ''));
  assert.deepEqual(byAddress, [
    { code: 'script_error', message: 'up', url: null },
    { code: 'request_failed', message: 'the request failed', url: 'https://nowhere.invalid/b.png' },
    { code: 'request_failed', message: 'the request was answered with status 404', url: 'img/a.png' },
  ]);
  const { finalUrl, status } = await receiptOf('', {
    source: { ...source, text: 'based', baseUrl: `${server.base}/doc?a#b` },
  });
  assert.deepEqual([finalUrl, status], [`${server.base}/doc`, null]);
});

test('requests that were refused, denied or not resolved look the same; those that the page gave up are no failures', async () => {
  const failing = [
    `http://${closedHost}/a.png?x=1`,
    `https://${closedHost}/b.png`,
    'http://10.0.0.1/c.png',
    'https://10.0.0.1/d.png',
    'http://nowhere.invalid/e.png',
  ];
  const url = server.route(
    '/failing',
    `<!doctype html>${failing.map((address) => `<img src="${address}">`).join('')}
    <img src="/404.png?1"><img src="/404.png?2"><img src="data:image/png,none"><script>
    const giveUp = new AbortController(); fetch('/slow?60000', { signal: giveUp.signal }).catch(() => {}); giveUp.abort();
    fetch(URL.createObjectURL(new Blob(['x'])) + 'y').catch(() => {})</script>`,
  );
  const { warnings } = await receiptOf(url);
  const named = warnings.map(({ code, message, url: address }) => [code, message, address].join(' | '));
  assert.deepEqual(
    named.toSorted(),
    [
      ...failing.map((address) => `request_failed | the request failed | ${address.split('?')[0]}`),
      `request_failed | the request was answered with status 404 | ${server.base}/404.png`,
    ].toSorted(),
  );
});

test('what the client blocks is no failure', async () => {
  const url = server.route('/pictures', '<!doctype html><img src="/a.png"><img src="/b.png?c">');
  const { warnings } = await receiptOf(url, {
    changes: { ...noChanges, blockKinds: ['images'] },
    waits: failOn('request_failed'),
  });
  assert.deepEqual(
    warnings.map(({ code, url: address }) => [code, address]),
    [
      ['request_blocked', `${server.base}/a.png`],
      ['request_blocked', `${server.base}/b.png`],
    ],
  );
});

test('uncaught exceptions are warnings, at most 50, and none is one of the conditions', async () => {
  const url = server.route(
    '/throwing',
    `<!doctype html><script>setTimeout(() => { ready = true; null.x }, 500)</script>
    <script>Promise.reject(new Error('see https://host.test/a?key=secret and wss://host.test/b?key=secret now'))</script>
    <script>try { none() } catch {} Promise.reject(1).catch(() => {}); throw 'x'.repeat(9999)</script>
    <script>for (let i = 0; i < 90; i += 1) setTimeout(() => { throw new Error(i) })</script>`,
  );
  const { warnings } = await receiptOf(`${url}?key=secret`, {
    waits: { ...failOn(), until: 'load', for: [{ expression: 'ready' }] },
  });
  assert.equal(warnings.length, 50);
  assert.deepEqual([...new Set(warnings.map(({ url: address }) => address))], [url]);
  const texts = warnings.map(({ code, message }) => `${code} ${message}`);
  const wanted = [
    'script_error Error: see https://host.test/a and wss://host.test/b now',
    `script_error ${'x'.repeat(300)}`,
  ];
  for (const text of wanted) assert.ok(texts.includes(text), texts.slice(0, 4).join('\n'));
  assert.ok(!texts.some((text) => text.includes('not defined')));
});

test('a settle that left requests behind says so; a stream, a beacon and a worker leave none', async () => {
  const codes = async (html: string) =>
    (await receiptOf(server.route('/waiting', `<!doctype html><p>text${html}`))).warnings.map(
      ({ code }) => code,
    );
  assert.deepEqual(await codes(`<script>onload = () => { new Image().src = '/slow?60000' }</script>`), [
    'settle_incomplete',
  ]);
  assert.deepEqual(
    await codes(`<script>new EventSource('/events'); navigator.sendBeacon('/slow?60000')</script>`),
    [],
  );
  assert.deepEqual(await codes(`<script>new Worker('/worker.js')</script>`), []);
});

test('fail_on: an error status, a failed request, an exception, each only if asked for', async () => {
  const missing = server.route('/missing', `<!doctype html><img src="/404.png?secret">`);
  const throwing = server.route('/throws', `<!doctype html><script>throw new Error('oops')</script>`);
  for (const [url, reason, message] of [
    [`${server.base}/error`, 'http_error', 'the page answered with status 500'],
    [missing, 'request_failed', `a request of the page failed: ${server.base}/404.png`],
    [throwing, 'script_error', 'a script of the page failed: Error: oops'],
  ] as const) {
    await assert.rejects(receiptOf(url, { waits: failOn(reason) }), (error: RenderFailure) => {
      assert.deepEqual([error.reason, error.field, error.message], [reason, 'fail_on', message]);
      return true;
    });
    const others = (['http_error', 'request_failed', 'script_error'] as const).filter(
      (one) => one !== reason,
    );
    const { status } = await receiptOf(url, { waits: failOn(...others) });
    assert.equal(status, reason === 'http_error' ? 500 : 200);
  }
});

test('fail_on: only some statuses, and not those of some hosts, of the page and of what it asks for', async () => {
  const missing = server.route(
    '/parts',
    `<!doctype html><img src="/404.png"><img src="http://${closedHost}/a.png"><script>throw new Error('oops')</script>`,
  );
  const error = `${server.base}/error`;
  const all = { statuses: null, exceptHosts: [] };
  for (const [url, wanted, isFailure] of [
    [error, { ...all, on: 'http_error', statuses: [500] }, true],
    [error, { ...all, on: 'http_error', statuses: ['5xx'] }, true],
    [error, { ...all, on: 'http_error', statuses: [404, '4xx'] }, false],
    [error, { ...all, on: 'http_error', exceptHosts: ['127.0.0.1'] }, false],
    [error, { ...all, on: 'http_error', exceptHosts: ['0.0.1'] }, true],
    [missing, { ...all, on: 'http_error' }, false],
    [missing, { ...all, on: 'request_failed', statuses: [404] }, true],
    [missing, { ...all, on: 'request_failed', statuses: ['5xx', 403] }, false],
    [missing, { ...all, on: 'request_failed', exceptHosts: ['127.0.0.1'] }, false],
    [missing, { ...all, on: 'request_failed', exceptHosts: ['other.example'] }, true],
    // The page itself is no request of it.
    [error, { ...all, on: 'request_failed' }, false],
  ] as [string, FailOn, boolean][]) {
    const what = JSON.stringify(wanted);
    const outcome = await receiptOf(url, { waits: failOn(wanted) }).catch(
      (failure: RenderFailure) => failure,
    );
    assert.equal(
      outcome instanceof RenderFailure ? outcome.reason : undefined,
      isFailure ? wanted.on : undefined,
      what,
    );
  }
  await assert.rejects(
    receiptOf(missing, { waits: failOn('request_failed') }),
    ({ warnings }: RenderFailure) => {
      const told = (warnings ?? []).map(({ code, url }) => `${code} ${url}`);
      assert.deepEqual(
        told.toSorted(),
        [
          `request_failed http://${closedHost}/a.png`,
          `request_failed ${server.base}/404.png`,
          `script_error ${missing}`,
        ].toSorted(),
      );
      return true;
    },
  );
});

test('addresses of any length are cut, in warnings and in the message of a failure', async () => {
  const source: Job['source'] = {
    kind: 'html',
    text: "<body>text<script>for (let i = 0; i < 20; i += 1) new Image().src = 'https://x.invalid/' + i + 'x'.repeat(2e5)</script>",
    baseUrl: null,
    files: [],
  };
  const { warnings } = await receiptOf('', { source });
  assert.deepEqual(
    warnings.map(({ code, url }) => [code, url?.length]),
    Array.from({ length: 20 }, () => ['request_failed', 2_048]),
  );
  await assert.rejects(
    receiptOf('', { source, waits: failOn('request_failed') }),
    ({ reason, message, warnings }: RenderFailure) =>
      reason === 'request_failed' && message.length === 1_000 && warnings?.[0]?.url?.length === 2_048,
  );
});
