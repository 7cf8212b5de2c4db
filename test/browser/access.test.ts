// Headers, cookies and passwords go to the page's own origin and nowhere else. v2 2 (access).
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { inspect } from 'node:util';
import { parseEgressAllow } from '#wall/egress-allow.ts';
import type { RenderFailure } from '#browser/browser.ts';
import { noAccess, type Access, type Cookie, type Job } from '#browser/job.ts';
import { originsOf } from '#browser/page/open/access.ts';
import { useTestBrowser, type TestBrowser } from '#test/support/browser.ts';
import { startDnsServer, type DnsServer } from '#test/support/dns-server.ts';
import { colourOf } from '#test/support/pixels.ts';
import { waitFor } from '#test/support/wait-for.ts';

interface Seen {
  /** With the port. */
  host: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

const names = { own: 'site.localhost', subdomain: 'sub.site.localhost', else: 'else.localhost' };
const basic = { username: 'me', password: 'the-password' };
const rightAnswer = `Basic ${btoa('me:the-password')}`;
const green = '<!doctype html><body style="background:#00a000"><p>text</p>';
let seen: Seen[] = [];
let servers: Server[];
let dns: DnsServer;
let kit: TestBrowser;
let egress: Job['egress'];
let own: string;
/** The same host on another port, a subdomain, and another site. */
let others: string[];

/** What each path answers; any other one is empty. All may be read by all, so that no request is refused before it could carry a secret. */
const pages: Record<
  string,
  (
    request: IncomingMessage,
    query: string,
  ) => [status: number, headers: Record<string, string>, body?: string]
> = {
  '/page': () => [200, { 'content-type': 'text/html' }, everyWay()],
  '/simple': () => [
    200,
    { 'content-type': 'text/html' },
    `${green}<img src="/own-image">${others.map((other) => `<img src="${other}/other-image">`).join('')}`,
  ],
  '/own-frame': () => [200, { 'content-type': 'text/html' }, `<script>fetch('/own-frame-fetch')</script>`],
  '/other-frame': () => [
    200,
    { 'content-type': 'text/html' },
    `<img src="${own}/third-party-image"><script>fetch('/other-frame-fetch'); fetch('${own}/third-party-fetch')</script>`,
  ],
  '/hosts-service': () => [
    200,
    { 'content-type': 'text/html' },
    `${green}<iframe src="${others[2]}/registers"></iframe><img src="/own-until?/third-party-service">`,
  ],
  '/registers': () => [
    200,
    { 'content-type': 'text/html' },
    `<script>navigator.serviceWorker.register('/other-service')</script>`,
  ],
  '/other-service': () => [200, { 'content-type': 'text/javascript' }, `fetch('${own}/third-party-service')`],
  '/own-imported': () => [200, { 'content-type': 'text/javascript' }, ''],
  '/own-worker': () => [
    200,
    { 'content-type': 'text/javascript' },
    `importScripts('/own-imported'); fetch('/own-worker-fetch')`,
  ],
  '/own-service': () => [
    200,
    { 'content-type': 'text/javascript' },
    `oninstall = () => skipWaiting(); fetch('/own-service-fetch')`,
  ],
  '/own-redirect': (_, to) => [302, { location: to }],
  '/other-redirect': (_, to) => [302, { location: to }],
  '/locked': ({ headers }) =>
    headers.authorization === rightAnswer
      ? [
          200,
          { 'content-type': 'text/html' },
          `${green}<img src="/own-image">${others.map((other) => `<img src="${other}/asks">`).join('')}`,
        ]
      : [401, { 'content-type': 'text/html', 'www-authenticate': 'Basic realm="x"' }, green],
  '/asks': () => [401, { 'www-authenticate': 'Basic realm="x"' }],
};

/** Asks its own origin (`/own-…`) and others (`/other-…`) in every way that a page has. */
const everyWay =
  () => `${green}<img src="/own-image"><img src="/own-until?/own-service-fetch"><link rel="stylesheet" href="/own-style"><script src="/own-script"></script>
  <iframe src="/own-frame"></iframe>
  ${others.map((other) => `<img src="${other}/other-image"><link rel="stylesheet" href="${other}/other-style"><iframe src="${other}/other-frame"></iframe>`).join('')}
  <script>
  fetch('/own-post', { method: 'POST', body: 'the body' });
  new Worker('/own-worker'); navigator.serviceWorker.register('/own-service');
  const through = (from, to) => from + encodeURIComponent(to);
  const ways = { image: (to) => { new Image().src = to }, fetch: (to) => fetch(to).catch(() => {}) };
  for (const [name, ask] of Object.entries(ways)) {
    ask(through('/own-redirect?', '/own-redirected-' + name));
    for (const other of ${JSON.stringify(others)}) {
      ask(other + '/other-' + name);
      ask(through('/own-redirect?', other + '/other-redirected-' + name));
      ask(through(other + '/other-redirect?', '${own}/own-back-' + name));
    }
  }
  </script>`;

const isAsked = (wanted: string): boolean => seen.some(({ path }) => path === wanted);

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  const [path = '', query = ''] = request.url!.split('?');
  seen.push({ host: request.headers.host!, path, headers: request.headers, body });
  // Answers when the path of its query was asked for, by a service worker: nothing else of a page waits for one.
  if (path === '/own-until') await waitFor(query, () => isAsked(query));
  const [status, headers, text = ''] = pages[path]?.(request, decodeURIComponent(query)) ?? [200, {}];
  response.writeHead(status, { 'access-control-allow-origin': '*', ...headers }).end(text);
}

before(async () => {
  const accepted = { maxHeaderSize: 2 ** 20 };
  servers = [1, 2].map(() => createServer(accepted, (request, response) => void answer(request, response)));
  await Promise.all(servers.map((server) => once(server.listen(0, '127.0.0.1'), 'listening')));
  const [first, second] = servers.map((server) => (server.address() as AddressInfo).port);
  own = `http://${names.own}:${first}`;
  others = [
    `http://${names.own}:${second}`,
    `http://${names.subdomain}:${first}`,
    `http://${names.else}:${first}`,
  ];
  dns = await startDnsServer(() => ['127.0.0.1']);
  egress = { allow: parseEgressAllow(Object.values(names).join(',')), nameServers: [dns.address] };
  kit = await useTestBrowser([]);
});
after(async () => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
  dns.close();
});
beforeEach(() => {
  seen = [];
});

async function open(url: string, access: Partial<Access>, job: Partial<Job> = {}): Promise<void> {
  await using _ = await kit.render(url, { egress, access: { ...noAccess, ...access }, ...job });
}

/** Requests by what they carry: paths of the own origin that have the header, those that lack it, and those of others that have it. */
function carriers(name: string) {
  const isOwn = ({ host }: Seen) => `http://${host}` === own;
  const has = ({ headers }: Seen) => headers[name] !== undefined;
  const paths = (some: Seen[]) => [...new Set(some.map(({ path }) => path))].toSorted();
  return {
    with: paths(seen.filter((one) => isOwn(one) && has(one))),
    without: paths(seen.filter((one) => isOwn(one) && !has(one))),
    others: seen.filter((one) => !isOwn(one) && has(one)).map(({ host, path }) => host + path),
  };
}

const ownRequests =
  `frame frame-fetch image imported post redirect redirected-fetch redirected-image script service
  service-fetch style until worker worker-fetch`
    .split(/\s+/)
    .map((name) => `/own-${name}`);

test('headers reach every request of the page to its own origin, and no other origin', async () => {
  const headers = { 'X-Secret': 'the-header', authorization: 'Bearer the-token' };
  await open(`${own}/page?token`, { headers });
  for (const name of ['x-secret', 'authorization']) {
    const found = carriers(name);
    assert.deepEqual(
      found.with.filter((path) => !path.startsWith('/third')),
      [...ownRequests, '/page'],
    );
    // What frames of other origins ask for, and what comes back from a redirect of theirs.
    assert.deepEqual(found.without, [
      '/own-back-fetch',
      '/own-back-image',
      '/third-party-fetch',
      '/third-party-image',
    ]);
    assert.deepEqual(found.others, []);
  }
  const asked = new Set(seen.filter(({ path }) => path.startsWith('/other')).map(({ host }) => host));
  assert.deepEqual(
    [...asked].toSorted(),
    others.map((other) => other.slice('http://'.length)).toSorted(),
    'every other origin was asked',
  );
  // Other origins learn the page's origin, as from any browser, and not its query, also if the own one redirects to them.
  const knowing = seen.filter(({ headers: { referer } }) => referer?.includes('token'));
  assert.deepEqual(
    [...new Set(knowing.map(({ host }) => `http://${host}`))],
    [own],
    knowing.map(({ path }) => path).join(' '),
  );
  const post = seen.find(({ path }) => path === '/own-post');
  assert.deepEqual([post?.body, post?.headers['x-secret']], ['the body', 'the-header']);
});

test('a page that is redirected to another origin takes no secret along, and asks for nothing with one', async () => {
  for (const other of others) {
    seen = [];
    const url = `${own}/own-redirect?${encodeURIComponent(`${other}/other-frame`)}`;
    await open(url, { headers: { 'x-secret': 'the-header' }, basicAuth: basic });
    assert.ok(seen.some(({ path }) => path === '/third-party-image'));
    assert.deepEqual(carriers('x-secret').with, ['/own-redirect']);
    assert.deepEqual(carriers('x-secret').others, []);
  }
});

test('a header that the browser refuses fails the request at once, and its value is in no message', async () => {
  await assert.rejects(
    open(`${own}/simple`, { headers: { 'x-secret': 'hid\nden' } }),
    (error: RenderFailure) => {
      assert.equal(error.reason, 'unreachable');
      assert.doesNotMatch(inspect(error), /hid/);
      return true;
    },
  );
});

test('the service worker of a third party sends no secret', async () => {
  await open(`${own}/hosts-service`, { headers: { 'x-secret': 'the-header' } });
  assert.ok(isAsked('/third-party-service'));
  assert.deepEqual(carriers('x-secret').with, ['/hosts-service', '/own-until']);
});

test('the own origin is that of the address, and of https on the same host if both have the default port', () => {
  assert.deepEqual(originsOf('http://site.example/a?b'), ['http://site.example', 'https://site.example']);
  assert.deepEqual(originsOf('http://site.example:8080/'), ['http://site.example:8080']);
  assert.deepEqual(originsOf('https://Site.example:443/'), ['https://site.example']);
  assert.deepEqual(originsOf('https://site.example:8443/'), ['https://site.example:8443']);
});

test('a password is sent to the own origin, and no other may ask for it', async () => {
  await open(`${own}/locked`, { basicAuth: basic });
  assert.deepEqual(carriers('authorization'), {
    with: ['/locked', '/own-image'],
    without: [],
    others: [],
  });
  assert.equal(seen.filter(({ path }) => path === '/asks').length, others.length);
});

test('after a wrong password, the page of the refusal is shown', async () => {
  await using rendered = await kit.render(`${own}/locked`, {
    egress,
    access: { ...noAccess, basicAuth: { ...basic, password: 'wrong' } },
  });
  assert.equal(await colourOf(await readFile(rendered.outputs[0]!.path)), 'green');
  assert.equal(seen.length, 1);
});

const cookie = (given: Partial<Cookie>): Cookie => ({
  name: 'a',
  value: '1',
  domain: null,
  path: '/',
  secure: false,
  httpOnly: false,
  sameSite: null,
  ...given,
});

test('all headers and cookies that a request may have arrive, each at its greatest length', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `x-header-${index}`);
  const headers = Object.fromEntries(names.map((name) => [name, 'h'.repeat(4096)]));
  const cookies = Array.from({ length: 50 }, (_, index) =>
    cookie({ name: `cookie${10 + index}`, value: 'c'.repeat(4096 - 'cookie10'.length) }),
  );
  await open(`${own}/simple`, { headers, cookies });
  const [page] = seen;
  assert.deepEqual(
    names.map((name) => page?.headers[name]?.length),
    names.map(() => 4096),
  );
  assert.equal(page?.headers.cookie?.split('; ').length, 50);
});

test('cookies reach the host, or the domain, that they are for', async () => {
  const cookies = [
    cookie({ name: 'host' }),
    cookie({ name: 'wide', domain: names.own, httpOnly: true }),
    cookie({ name: 'strict', sameSite: 'strict' }),
    cookie({ name: 'deep', path: '/own-image' }),
    cookie({ name: 'secure', secure: true, sameSite: 'none' }),
  ];
  await open(`${own}/simple`, { cookies });
  const sentTo = (host: string, path: string) =>
    seen.find((one) => one.host === new URL(host).host && one.path === path)?.headers.cookie;
  assert.equal(sentTo(own, '/simple'), 'host=1; wide=1; strict=1; secure=1');
  assert.equal(sentTo(own, '/own-image'), 'deep=1; host=1; wide=1; strict=1; secure=1');
  const [, subdomain, elsewhere] = others;
  assert.equal(sentTo(subdomain!, '/other-image'), 'wide=1');
  assert.deepEqual(
    seen.filter(({ host, headers }) => host === new URL(elsewhere!).host && headers.cookie !== undefined),
    [],
  );
});

const refusedCookies: Record<string, [Partial<Cookie>, message: string]> = {
  'for another site': [
    { domain: 'else.localhost' },
    'the cookie a has a domain outside the site of the page',
  ],
  'that no browser accepts': [
    { name: '__Host-a', path: '/x' },
    'the cookie __Host-a is refused by the browser',
  ],
};
for (const [what, [given, message]] of Object.entries(refusedCookies))
  test(`a cookie ${what} ends the render, and its value is in no message`, async () => {
    const access = { ...noAccess, cookies: [cookie({}), cookie({ ...given, value: 'hidden' })] };
    await assert.rejects(kit.render(`${own}/page`, { egress, access }), (error: RenderFailure) => {
      assert.deepEqual([error.reason, error.message, error.field], ['denied', message, 'cookies[1]']);
      assert.doesNotMatch(inspect(error), /hidden/);
      return true;
    });
    assert.deepEqual(seen, []);
  });

test('a document at base_url asks its own origin with the secrets', async () => {
  const source = { kind: 'html' as const, text: everyWay(), baseUrl: `${own}/invoice`, files: [] };
  await open('', { headers: { 'x-secret': 'the-header' }, cookies: [cookie({})] }, { source });
  const found = carriers('x-secret');
  assert.deepEqual(
    [found.with.filter((path) => !path.startsWith('/third')), found.others],
    [ownRequests, []],
  );
  assert.equal(seen.find(({ path }) => path === '/own-image')?.headers.cookie, 'a=1');
});
