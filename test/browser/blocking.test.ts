// What a render does not load because its request blocks it: kinds of files, and hosts. v2 2 (page).
import assert from 'node:assert/strict';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { parseEgressAllow } from '#wall/egress-allow.ts';
import { parseHostNames } from '#wall/blocked-hosts.ts';
import { noChanges, plainPdf, plainPicture, type Job, type Output, type PageChanges } from '#browser/job.ts';
import { paperInches } from '#renders/paper.ts';
import { useTestBrowser, type TestBrowser } from '#test/support/browser.ts';
import { startDnsServer, type DnsServer } from '#test/support/dns-server.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { temporaryFolder } from '#test/support/processes.ts';

let server: PageServer;
let dns: DnsServer;
let kit: TestBrowser;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let egress: Job['egress'];
let port: string;
const at = (host: string, path: string) => `http://${host}:${port}${path}`;

before(async () => {
  server = await startPageServer();
  server.fallBack((path, response) => {
    const type = path.endsWith('.css') ? 'text/css' : path.endsWith('.js') ? 'text/javascript' : 'text/html';
    const body = path === '/page' ? page() : path === '/frame' ? `<img src="/in-frame.png">` : '';
    response.setHeader('content-type', type).end(body);
  });
  port = server.host.split(':')[1]!;
  dns = await startDnsServer(() => ['127.0.0.1']);
  egress = { allow: parseEgressAllow('127.0.0.1'), nameServers: [dns.address] };
  [kit, folder] = await Promise.all([useTestBrowser([]), temporaryFolder()]);
});
after(async () => {
  await Promise.all([server.close(), folder.remove()]);
  dns.close();
});
beforeEach(() => {
  server.seen.length = 0;
  dns.asked.length = 0;
});

const page =
  () => `<!doctype html><style>@font-face { font-family: own; src: url(/font.woff2) } p { font-family: own; background: url(/background.png) }</style>
  <p>text</p><img src="/image.png"><video src="/film.mp4" poster="/poster.png"></video><audio src="/sound.mp3" preload="auto"></audio>
  <link rel="stylesheet" href="/style.css"><script src="${at('ads.test', '/script.js')}"></script>
  <script src="${at('deep.tracker.test', '/script.js')}"></script><iframe src="${at('else.test', '/frame')}"></iframe>`;

async function open(changes: Partial<PageChanges>, url = at('site.test', '/page')) {
  await using rendered = await kit.render(url, { egress, changes: { ...noChanges, ...changes } });
  const { warnings } = rendered.page;
  return {
    loaded: new Set(server.seen.map((request) => request.replace('GET /', ''))),
    blocked: warnings.filter(({ code }) => code === 'request_blocked').map(({ url: of }) => new URL(of!)),
    failed: warnings.filter(({ code }) => code === 'request_failed').map(({ url: of }) => of),
  };
}

const kinds = {
  images: ['background.png', 'image.png', 'in-frame.png', 'poster.png'],
  media: ['film.mp4', 'sound.mp3'],
  fonts: ['font.woff2'],
} as const;
for (const kind of ['images', 'media', 'fonts'] as const)
  test(`${kind} are not loaded, in frames of other sites neither, and the receipt names them`, async () => {
    const { loaded, blocked, failed } = await open({ blockKinds: [kind] });
    for (const [other, files] of Object.entries(kinds))
      for (const file of files) assert.equal(loaded.has(file), other !== kind, file);
    assert.deepEqual(blocked.map(({ pathname }) => pathname.slice(1)).toSorted(), kinds[kind]);
    assert.deepEqual(failed, []);
  });

test('hosts of the request are not reached, nor their subdomains, and nothing is asked about them', async () => {
  const { blocked, failed } = await open({ blockHosts: ['ads.test', 'tracker.test'] });
  assert.deepEqual(blocked.map(({ hostname }) => hostname).toSorted(), ['ads.test', 'deep.tracker.test']);
  assert.deepEqual(failed, []);
  assert.deepEqual(
    server.seen.filter((request) => request.includes('script.js')),
    [],
  );
  assert.ok(!dns.asked.some((name) => /ads|tracker/.test(name)));
});

test('a blocked host is told from one that cannot be reached, inside TLS too', async () => {
  const url = server.route(
    '/secure',
    '<p>text</p><img src="https://ads.test/a"><img src="https://else.test/b">',
  );
  const { blocked, failed } = await open({ blockHosts: ['ads.test'] }, url);
  assert.deepEqual([blocked.map(String), failed], [['https://ads.test/a'], ['https://else.test/b']]);
});

test('a host that only ends like a blocked one is reached', async () => {
  const { blocked } = await open({ blockHosts: ['s.test', 'racker.test'] });
  assert.deepEqual(blocked, []);
});

test('a page whose own host is blocked is a failure that says so', async () => {
  await assert.rejects(open({ blockHosts: ['site.test'] }), {
    name: 'RenderFailure',
    reason: 'denied',
    message: `site.test:${port} is a host that this request blocks`,
  });
});

test("the operator's list blocks its hosts, also after it has changed; it is copied once for each change", async () => {
  const file = join(folder.path, 'hosts');
  const hosts = Array.from({ length: 50_000 }, (_, index) => `0.0.0.0 host-${index}.example`).join('\n');
  await writeFile(file, `# A list\n${hosts}\n0.0.0.0 ads.test # and so on\n`, { mode: 0o600 });
  const changes = { blockedHostsFile: file };
  for (const _ of [1, 2])
    assert.deepEqual(
      (await open(changes)).blocked.map(({ hostname }) => hostname),
      ['ads.test'],
    );
  await writeFile(`${file}.new`, 'tracker.test\n');
  await rename(`${file}.new`, file);
  assert.deepEqual(
    (await open(changes)).blocked.map(({ hostname }) => hostname),
    ['deep.tracker.test'],
  );
});

test('a hosts file and a list of names are read alike', () => {
  const { names, mistake } = parseHostNames(
    '127.0.0.1 localhost\r\n::1 ip6-localhost\n0.0.0.0 0.0.0.0\n# comment\n0.0.0.0 a.example b.example # both\n\n  C.Example.\nbücher.example\n',
  );
  assert.deepEqual([...names], ['a.example', 'b.example', 'c.example', 'xn--bcher-kva.example']);
  assert.equal(mistake, undefined);
  assert.deepEqual(parseHostNames('a.example\n@@||b.example^$third-party').mistake, {
    line: 2,
    text: '@@||b.example^$third-party',
  });
});

/** A document that asks for all that it can think of, by name and by address. */
const greedy = () => `<!doctype html><title>none</title><link rel="stylesheet" href="own.css">
  <link rel="dns-prefetch" href="//prefetch.test"><link rel="preconnect" href="https://preconnect.test">
  <link rel="stylesheet" href="${at('style.test', '/style.css')}"><script src="https://script.test/script.js"></script>
  <img src="${at('image.test', '/image.png')}"><img src="${at('127.0.0.1', '/by-address.png')}"><img src="other.png">
  <iframe src="https://frame.test/frame"></iframe><iframe srcdoc="<img src='${at('inner.test', '/inner.png')}'>"></iframe>
  <script>
  navigator.sendBeacon('${at('beacon.test', '/beacon')}', 'x');
  new WebSocket('wss://socket.test:${port}/');
  new EventSource('${at('events.test', '/events')}');
  new Worker(URL.createObjectURL(new Blob(["fetch('${at('worker.test', '/worker')}').catch(() => {})"])));
  const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:stun.test:3478' }] });
  peer.createDataChannel('a');
  peer.createOffer().then((offer) => peer.setLocalDescription(offer));
  fetch('own.txt').then((answer) => answer.text()).then((text) => {
    document.title = text + ' ' + getComputedStyle(document.documentElement).color;
  });
  </script>`;

test('without network a document has its files, and nothing leaves, not even a name', async () => {
  const changes = { ...noChanges, network: 'none' as const };
  const path = join(folder.path, 'own');
  const fileOf = async (name: string, contentType: string, body: string) => {
    await writeFile(`${path}-${name}`, body);
    return { name, contentType, path: `${path}-${name}`, sizeBytes: body.length };
  };
  const files = [
    await fileOf('own.css', 'text/css', 'html { color: rgb(1, 2, 3) }'),
    await fileOf('own.txt', 'text/plain', 'mine'),
  ];
  for (const baseUrl of [null, at('base.test', '/invoice')]) {
    const source = { kind: 'html' as const, text: greedy(), baseUrl, files };
    const margin = { usual: `<img src="${at('margin.test', '/margin.png')}">`, first: null, last: null };
    const outputs: Output[] = [plainPicture, { ...plainPdf, paper: paperInches.a4, header: margin }];
    await using rendered = await kit.render('', { egress, changes, source, outputs });
    const { title, warnings } = rendered.page;
    assert.equal(title, 'mine rgb(1, 2, 3)');
    assert.deepEqual([server.seen, dns.asked], [[], []]);
    const blocked = warnings.filter(({ code }) => code === 'request_blocked').map(({ url }) => url ?? '');
    for (const host of [
      'style',
      'script',
      'image',
      '127.0.0.1',
      'frame',
      'inner',
      'beacon',
      'worker',
      'events',
    ])
      assert.ok(
        blocked.some((url) => url.includes(`//${host}`)),
        `${host}: ${blocked.join(' ')}`,
      );
    // Only a document with an address of its own asks a server for a file that did not come with it.
    const failed = warnings.filter(({ code }) => code === 'request_failed').map(({ url }) => url);
    assert.deepEqual(failed, baseUrl === null ? ['other.png'] : []);
    assert.equal(blocked.includes(at('base.test', '/other.png')), baseUrl !== null);
  }
});

test('without network a document that leaves for another page fails as not public', async () => {
  const text = `<script>location = '${at('else.test', '/page')}'</script>`;
  await assert.rejects(
    kit.render('', {
      egress,
      changes: { ...noChanges, network: 'none' },
      source: { kind: 'html', text, baseUrl: null, files: [] },
    }),
    { reason: 'denied', message: /else\.test:\d+ is a host that this request blocks/ },
  );
  assert.deepEqual([server.seen, dns.asked], [[], []]);
});
