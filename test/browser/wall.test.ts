// No page reaches an address that is not allowed, whichever way it tries; each way has a twin to an allowed server that
// proves it was really tried. Design section 5 (the only way out), spec 4.3 (public addresses only).
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { RenderFailure } from '#browser/browser.ts';
import { launchChromium } from '#browser/chromium-process.ts';
import { findChromium } from '#browser/find-chromium.ts';
import { installFonts } from '#browser/fonts.ts';
import { browserUser } from '#browser/unprivileged.ts';
import { testWall } from '#browser/wall-test.ts';
import { cacheFolder, startTestBrowser } from '#test/support/browser.ts';
import type { TestBrowser } from '#test/support/browser.ts';
import { startPageServer } from '#test/support/page-server.ts';
import type { PageServer } from '#test/support/page-server.ts';

let server: PageServer;
let twin: PageServer;
let kit: TestBrowser;
let forbiddenPort: number;
const packets = { tcp: 0, udp: 0 };
const tcp = createServer((socket) => {
  packets.tcp += 1;
  socket.destroy();
});
const udp = createSocket('udp4', () => (packets.udp += 1));

before(async () => {
  tcp.listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  forbiddenPort = (tcp.address() as AddressInfo).port;
  udp.bind(forbiddenPort, '127.0.0.1');
  await once(udp, 'listening');
  twin = await startPageServer();
  server = await startPageServer({
    '/redirect': (request, response) => {
      response.writeHead(302, { location: decodeURIComponent(request.url!.split('?')[1]!) }).end();
    },
    '/sw.js': (_, response) => {
      response
        .setHeader('content-type', 'text/javascript')
        .end(
          `onmessage = (event) => event.waitUntil(fetch(event.data, { mode: 'no-cors' }).catch(() => {}).then(() => event.source.postMessage(1)))`,
        );
    },
  });
  kit = await startTestBrowser([server.host, twin.host]);
});
after(async () => {
  await kit.close();
  await Promise.all([server.close(), twin.close()]);
  tcp.close();
  udp.close();
});

/** Markup or script that asks for `TARGET` + its own name. */
const ways: Record<string, string> = {
  image: '<img src="TARGET">',
  srcset: '<img srcset="TARGET 1x">',
  script: '<script src="TARGET"></script>',
  module: '<script type="module">import("TARGET").catch(() => {})</script>',
  stylesheet: '<link rel="stylesheet" href="TARGET">',
  'css-import': '<style>@import url("TARGET");</style>',
  background: '<div style="background:url(TARGET);width:9px;height:9px"></div>',
  font: '<style>@font-face { font-family: far; src: url(TARGET) } b { font-family: far }</style><b>text</b>',
  frame: '<iframe src="TARGET"></iframe>',
  'sandboxed-frame': '<iframe sandbox src="TARGET"></iframe>',
  object: '<object data="TARGET"></object>',
  embed: '<embed src="TARGET">',
  video: '<video autoplay muted src="TARGET"></video>',
  audio: '<audio autoplay src="TARGET"></audio>',
  poster: '<video poster="TARGET"></video>',
  'svg-image': '<svg><image href="TARGET" width="9" height="9"/></svg>',
  'input-image': '<input type="image" src="TARGET">',
  preload: '<link rel="preload" as="image" href="TARGET">',
  fetch: '<script>fetch("TARGET", { mode: "no-cors" }).catch(() => {})</script>',
  xhr: '<script>{ const x = new XMLHttpRequest(); x.open("GET", "TARGET"); x.send() }</script>',
  beacon: '<script>navigator.sendBeacon("TARGET", "x")</script>',
  events: '<script>new EventSource("TARGET")</script>',
  form: '<iframe name="f"></iframe><form target="f" method="post" action="TARGET" id="form"></form><script>form.submit()</script>',
  worker:
    '<script>new Worker(URL.createObjectURL(new Blob([`fetch("TARGET", { mode: "no-cors" }).catch(() => {})`])))</script>',
  'import-scripts': '<script>new Worker(URL.createObjectURL(new Blob([`importScripts("TARGET")`])))</script>',
  'service-worker':
    '<script>navigator.serviceWorker.register("/sw.js").then(() => navigator.serviceWorker.ready).then((r) => r.active.postMessage("TARGET"))</script><img src="/delay">',
  'redirected-image': '<img src="REDIRECT">',
  'redirected-frame': '<iframe src="REDIRECT"></iframe>',
  'redirected-fetch': '<script>fetch("REDIRECT", { mode: "no-cors" }).catch(() => {})</script>',
};

function attack(target: string): string {
  const parts = Object.entries(ways).map(([name, markup]) =>
    markup
      .replaceAll('TARGET', `${target}/${name}`)
      .replaceAll('REDIRECT', `/redirect?${encodeURIComponent(`${target}/${name}`)}`),
  );
  return `<!doctype html><body>${parts.join('\n')}`;
}

test('every way is tried, and none reaches a forbidden server', async () => {
  server.route('/delay', (_, response) => void setTimeout(() => response.end(), 500).unref());
  await kit.shoot(server.route('/allowed', attack(twin.base)));
  const tried = new Set(twin.seen.map((line) => line.split(' ')[1]!.slice(1)));
  const untried = Object.keys(ways).filter((name) => !tried.has(name));
  assert.deepEqual(untried, []);
  const shot = await kit.shoot(server.route('/denied', attack(`http://127.0.0.1:${forbiddenPort}`)));
  assert.deepEqual(packets, { tcp: 0, udp: 0 });
  assert.ok(shot.page.deniedRequests > 0);
});

const sockets = (host: string, port: number) => `<!doctype html><script>
    new WebSocket('ws://${host}/socket');
    const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${port}' }, { urls: ['turn:127.0.0.1:${port}', 'turn:127.0.0.1:${port}?transport=tcp'], username: 'a', credential: 'b' }] });
    peer.createDataChannel('x');
    peer.createOffer().then((offer) => peer.setLocalDescription(offer));
    const other = new RTCPeerConnection();
    other.setRemoteDescription({ type: 'offer', sdp: 'v=0\\r\\no=- 1 1 IN IP4 0.0.0.0\\r\\ns=-\\r\\nt=0 0\\r\\n' }).catch(() => {});
    try { new WebTransport('https://127.0.0.1:${port}/') } catch {}
  </script><img src="/delay">`;

test('sockets and peer connections reach nothing', async () => {
  twin.onUpgrade((_, socket) => void socket.destroy());
  await kit.shoot(server.route('/sockets-allowed', sockets(twin.host, forbiddenPort)));
  assert.ok(twin.seen.includes('UPGRADE /socket'));
  await kit.shoot(server.route('/sockets-denied', sockets(`127.0.0.1:${forbiddenPort}`, forbiddenPort)));
  assert.deepEqual(packets, { tcp: 0, udp: 0 });
});

const spellings = [
  '127.0.0.1',
  'localhost',
  '127.1',
  '0x7f.0.0.1',
  '2130706433',
  '0177.0.0.1',
  '0.0.0.0',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '127.0.0.1.',
];

test('no spelling of a forbidden address is reached: as a picture in a page, as the page itself, after a redirect', async () => {
  const images = spellings.map((host) => `<img src="http://${host}:${forbiddenPort}/">`).join('');
  await kit.shoot(server.route('/spellings', `<!doctype html>${images}`));
  for (const host of spellings) {
    const target = `http://${host}:${forbiddenPort}/`;
    for (const url of [
      target,
      `${server.base}/redirect?${encodeURIComponent(target)}`,
      target.replace('http', 'https'),
    ]) {
      await assert.rejects(kit.shoot(url), (error: RenderFailure) => {
        assert.equal(error.reason, 'denied', `${url}: ${String(error)}`);
        assert.doesNotMatch(error.message, /proxy|door|egress|chrom/i);
        return true;
      });
    }
  }
  assert.deepEqual(packets, { tcp: 0, udp: 0 });
});

test('nothing but http and https is opened', async () => {
  for (const url of [
    'file:///etc/passwd',
    'view-source:http://example.com/',
    'javascript:1',
    'data:text/html,x',
    'chrome://version',
    'about:blank',
    'ftp://127.0.0.1/',
  ]) {
    await assert.rejects(kit.shoot(url), (error: RenderFailure) => error.reason === 'denied');
  }
});

test('the test of the wall at start finds a hole, whichever it is', async () => {
  const chromium = await findChromium({ explicitPath: undefined, searchPath: '', cacheFolder });
  const base = { chromium, fontsFile: await installFonts(cacheFolder), user: browserUser(), sandboxed: true };
  const webrtc = [
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  ];
  const walled = await launchChromium(base);
  const leaky = await launchChromium({ ...base, withoutFlags: webrtc });
  try {
    const whole = await testWall(walled);
    assert.deepEqual(whole.leaks, { tcp: 0, udp: 0 });
    assert.equal(Object.keys(whole.tried).length, 7);
    assert.ok((await testWall(leaky)).leaks.udp > 0, 'WebRTC without its flags is found');
    // The page may go round its proxy to loopback.
    const open = await testWall(walled, { proxyServer: 'http://no-way-out.invalid:1', proxyBypassList: '' });
    assert.ok(open.leaks.tcp > 0, 'a bypass list without <-loopback> is found');
  } finally {
    await Promise.all([walled.close(), leaky.close()]);
  }
});
