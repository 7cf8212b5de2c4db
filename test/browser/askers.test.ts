// Secrets go with what the page's own origin asks for, and with nothing that a third party asks of it. v2 2 (access).
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { noAccess, noChanges, type Access, type Job } from '#browser/job.ts';
import { secretsOf } from '#browser/page/open/access.ts';
import { plainWaits, useTestBrowser, type TestBrowser } from '#test/support/browser.ts';

interface Seen {
  isOwn: boolean;
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
}

let kit: TestBrowser;
let servers: Server[];
let own: string;
/** The same host on another port: another origin of the same site, whose frames share the process of the page. */
let other: string;
let seen: Seen[] = [];
/** What each path answers, at both origins; any other one is empty. */
let pages: Record<string, string | { type?: string; location?: string; body?: string }> = {};

const secret = { 'x-secret': 'the-header' };
const basicAuth = { username: 'me', password: 'pass:wörd' };

before(async () => {
  servers = [true, false].map((isOwn) =>
    createServer((request, response) => {
      const { method = '', url = '', headers } = request;
      const path = url.split('?', 1)[0]!;
      if (path !== '/favicon.ico') seen.push({ isOwn, method, path, headers });
      const page = pages[path] ?? '';
      const { type = 'text/html', location, body = '' } = typeof page === 'string' ? { body: page } : page;
      const open = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' };
      request.resume().on('end', () => {
        response.writeHead(location === undefined ? 200 : 302, {
          ...open,
          'content-type': type,
          ...(location !== undefined && { location }),
        });
        response.end(body);
      });
    }),
  );
  await Promise.all(servers.map((server) => once(server.listen(0, '127.0.0.1'), 'listening')));
  const origins = servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  [own, other] = origins as [string, string];
  kit = await useTestBrowser(['127.0.0.1']);
});
after(async () => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
});
beforeEach(() => {
  seen = [];
  pages = {};
});

const isTold = ({ headers }: Seen) =>
  headers['x-secret'] !== undefined || headers.authorization !== undefined;
const describe = (some: Seen[]) =>
  [...new Set(some.map(({ method, path }) => (method === 'GET' ? path : `${method} ${path}`)))].toSorted();

/** Requests to the own origin, with secrets and without them. No other one ever gets any. */
async function requestsOf(
  path: string,
  access: Partial<Access> = { headers: secret, basicAuth },
  job: Partial<Job> = {},
) {
  await using _ = await kit.render(own + path, { access: { ...noAccess, ...access }, ...job });
  assert.deepEqual(
    seen.filter((one) => !one.isOwn && isTold(one)),
    [],
  );
  const atOwn = seen.filter(({ isOwn }) => isOwn);
  return {
    told: describe(atOwn.filter(isTold)),
    untold: describe(atOwn.filter((one) => !isTold(one))),
  };
}

/** Asks the own origin in every way that a document has, by paths that begin with this. */
const asks = (prefix: string) => `<img src="${own}/${prefix}-img"><script>
  const to = '${own}/${prefix}-';
  const ask = (way, options) => fetch(to + way, options).catch(() => {});
  ask('fetch'); ask('post', { method: 'POST', mode: 'no-cors', credentials: 'include' });
  const xhr = new XMLHttpRequest();
  xhr.open('GET', to + 'xhr', false);
  try { xhr.send() } catch {}
  navigator.sendBeacon(to + 'beacon');
  const code = (way) => 'fetch(' + JSON.stringify(to + way) + ').catch(() => {})';
  new Worker('data:text/javascript,' + encodeURIComponent(code('data-worker')));
  if (origin !== 'null') new Worker(URL.createObjectURL(new Blob([code('blob-worker')])));
  const blank = document.body.appendChild(document.createElement('iframe'));
  blank.contentDocument.body.innerHTML = '<img src="' + to + 'blank-img">';
  const within = document.body.appendChild(document.createElement('iframe'));
  within.srcdoc = '<img src="' + to + 'srcdoc-img">';
</script>`;
const ways = ['POST beacon', 'POST post', 'blank-img', 'data-worker', 'fetch', 'img', 'srcdoc-img', 'xhr'];
const asked = (prefix: string, some: string[] = [...ways, 'blob-worker']) =>
  some.map((way) => (way.startsWith('POST ') ? way.replace(' ', ` /${prefix}-`) : `/${prefix}-${way}`));

test('v2 2 what the own origin asks for has the secrets, in its frames and workers too', async () => {
  pages = {
    '/': `${asks('page')}<iframe src="/frame"></iframe><iframe src="/redirect"></iframe>
      <iframe srcdoc="<img src='/srcdoc'>"></iframe>
      <script>
      const address = URL.createObjectURL(new Blob(['<img src="${own}/blob">'], { type: 'text/html' }));
      document.body.appendChild(document.createElement('iframe')).src = address;
      </script>`,
    '/frame': `${asks('frame')}<script>new Worker('/worker.js')</script>`,
    '/redirect': { location: '/redirected' },
    '/worker.js': { type: 'text/javascript', body: `fetch('/worker-fetch')` },
  };
  const named = [
    '/',
    '/blob',
    '/frame',
    '/redirect',
    '/redirected',
    '/srcdoc',
    '/worker-fetch',
    '/worker.js',
  ];
  const { told, untold } = await requestsOf('/');
  assert.deepEqual([told, untold], [[...asked('page'), ...asked('frame'), ...named].toSorted(), []]);
});

test('v2 2 a frame of another origin of the same site sends no secret, nor does what it opens', async () => {
  pages = {
    '/': `<img src="/own"><iframe src="${other}/frame"></iframe>`,
    '/frame': `${asks('stranger')}<iframe src="${own}/framed"></iframe>
      <iframe name="sent"></iframe><iframe name="blank" src="/turns-blank"></iframe>
      <form method="post" target="sent" action="${own}/transfer"></form>
      <script>
      document.forms[0].submit();
      let blanks = 0;
      document.querySelector('[name=blank]').onload = ({ target }) => {
        if (target.contentDocument.URL === 'about:blank' && blanks++ === 0)
          target.contentDocument.body.innerHTML = '<img src="${own}/turned-blank">';
      };
      </script>`,
    '/turns-blank': `<script>location = 'about:blank'</script>`,
    // It is the own origin's, but stands where a third party has put it.
    '/framed': `<img src="/framed-img">`,
  };
  const { told, untold } = await requestsOf('/');
  assert.deepEqual(told, ['/', '/own']);
  assert.deepEqual(
    untold,
    [...asked('stranger'), '/framed', '/framed-img', '/turned-blank', 'POST /transfer'].toSorted(),
  );
});

test('v2 2 a data: frame sends no secret', async () => {
  pages = {};
  const frame = `data:text/html,${encodeURIComponent(asks('data'))}`;
  pages['/'] = `<img src="/own"><iframe src="${frame}"></iframe>`;
  const { told, untold } = await requestsOf('/');
  assert.deepEqual([told, untold], [['/', '/own'], asked('data', ways).toSorted()]);
});

const departures: Record<string, () => string> = {
  refresh: () => `<meta http-equiv="refresh" content="0;url=${other}/left">`,
  script: () => `<script>location = '${other}/left'</script>`,
  form: () =>
    `<form action="${other}/left" method="post"></form><script>onload = () => document.forms[0].submit()</script>`,
  'open redirect': () => `<script>location = '/out'</script>`,
};
for (const [way, departure] of Object.entries(departures)) {
  test(`v2 2 a page that has left for another origin (${way}) sends no secret, nor does one it posts back to`, async () => {
    pages = {
      '/': `<img src="/own">${departure()}`,
      '/out': { location: `${other}/left` },
      '/left': `<iframe src="${own}/framed"></iframe><iframe name="kept" src="about:blank"></iframe>
        <form method="post" action="${own}/transfer"></form>
        <script>fetch('${own}/left-fetch').catch(() => {}); onload = () => document.forms[0].submit()</script>`,
      '/framed': `<img src="/framed-img">`,
      '/transfer': `<img src="/back-img"><script>fetch('/back-fetch')</script>`,
    };
    const { told, untold } = await requestsOf('/');
    assert.deepEqual(
      told.filter((path) => path !== '/own'),
      ['/'],
    );
    assert.deepEqual(
      ['POST /transfer', '/back-img', '/back-fetch'].filter((path) => !untold.includes(path)),
      [],
    );
  });
}

test('v2 2 a redirect by another origin brings no secret back', async () => {
  pages = {
    '/out': { location: `${other}/back` },
    '/back': { location: `${own}/returned` },
    '/returned': `<img src="/returned-img">`,
  };
  assert.deepEqual(await requestsOf('/out'), { told: ['/out'], untold: ['/returned', '/returned-img'] });
  seen = [];
  pages['/'] = `<img src="/out"><img src="${other}/back"><script>fetch('/out').catch(() => {})</script>`;
  assert.deepEqual(await requestsOf('/'), { told: ['/', '/out'], untold: ['/returned'] });
});

test('v2 2 documents have the secrets at the first navigation only, since any frame may bring about a later one', async () => {
  pages = {
    '/': { location: '/first' },
    '/first': `<iframe src="${other}/frame"></iframe>`,
    '/frame': `<form method="post" target="_top" action="${own}/transfer"></form><script>document.forms[0].submit()</script>`,
    '/transfer': `<img src="/own">`,
  };
  const { told, untold } = await requestsOf('/');
  assert.deepEqual([told, untold], [['/', '/first', '/own'], ['POST /transfer']]);
});

test('v2 2 a service worker sends no secret for a document that another origin opens', async () => {
  pages = {
    '/': `<script>
      const { serviceWorker } = navigator;
      onmessage = () => { hasArrived = true };
      serviceWorker.oncontrollerchange = async () => {
        await fetch('/own');
        document.body.append(Object.assign(document.createElement('iframe'), { src: '${other}/frame' }));
      };
      serviceWorker.register('/service.js');
      </script><body>`,
    '/service.js': {
      type: 'text/javascript',
      body: `oninstall = () => skipWaiting(); onactivate = (event) => event.waitUntil(clients.claim());
        onfetch = (event) => event.respondWith(fetch(event.request));`,
    },
    '/frame': `<iframe name="sent"></iframe><form method="post" target="sent" action="${own}/transfer"></form>
      <script>document.forms[0].submit()</script>`,
    '/transfer': `<script>top.postMessage(0, '*')</script>`,
  };
  // On the page's own clock nobody waits for a service worker.
  const waits = { ...plainWaits, for: [{ expression: 'globalThis.hasArrived' }] };
  const { told, untold } = await requestsOf('/', undefined, { changes: noChanges, waits });
  assert.deepEqual(told, ['/', '/own', '/service.js']);
  // A second after a document, the browser itself may ask whether the script has changed; nothing of the caller goes along.
  const ofPages = untold.filter((path) => path !== '/service.js');
  assert.deepEqual(ofPages, ['POST /transfer']);
});

test('v2 2 an Authorization of the caller or of the page stays before basic_auth', async () => {
  const mine = `Basic ${Buffer.from('me:pass:wörd').toString('base64')}`;
  const sent = (access: Partial<Access>, ofPage: Record<string, string> = {}) =>
    secretsOf({ ...noAccess, ...access }, 'https://site.example/')
      ?.headersFor({ url: 'https://site.example/api', headers: ofPage })
      ?.filter(({ name }) => name.toLowerCase() === 'authorization')
      .map(({ value }) => value);
  const ofPage = { authorization: 'Bearer page' };
  const headers = { AUTHORIZATION: 'Bearer caller' };
  assert.deepEqual(sent({ basicAuth }), [mine]);
  assert.deepEqual(sent({ basicAuth }, ofPage), ['Bearer page']);
  assert.deepEqual(sent({ basicAuth, headers }), ['Bearer caller']);
  assert.deepEqual(sent({ basicAuth, headers }, ofPage), ['Bearer caller']);
  assert.deepEqual(sent({ headers: secret }, ofPage), ['Bearer page']);

  pages = {
    '/': `<script>fetch('/api', { headers: { Authorization: 'Bearer page' } }); fetch('/other')</script>`,
  };
  await requestsOf('/', { basicAuth });
  assert.deepEqual(
    ['/', '/api', '/other'].map((path) => seen.find((one) => one.path === path)?.headers.authorization),
    [mine, 'Bearer page', mine],
  );
});
