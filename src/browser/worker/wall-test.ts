// Proves at start that the browser can reach the network only through its door: a page without one tries every way to reach our
// listeners on loopback, and none may receive a packet.
import { once } from 'node:events';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { ChromiumProcess } from '#browser/process/chromium-process.ts';
import { deadEndProxy, proxyBypassList } from '#browser/process/chromium-flags.ts';
import { createPhase, startStepMs } from '#browser/process/deadline.ts';
import { ignore } from '#browser/page/page-sessions.ts';

export interface WallReport {
  /** Packets that reached a listener, by protocol. With a sound wall there are none. */
  leaks: { tcp: number; udp: number };
  /** What the page tried and what it saw: proof that each way was really tried. After a leak, only that. */
  tried: Record<string, string>;
}

const walled = { proxyServer: deadEndProxy, proxyBypassList };

/** `context` is how the page is confined; tests change it to check that a hole is found. */
export async function testWall(process: ChromiumProcess, context = walled): Promise<WallReport> {
  const leaks = { tcp: 0, udp: 0 };
  const leaked = Promise.withResolvers<WallReport['tried']>();
  const note = (way: keyof typeof leaks) => {
    leaks[way] += 1;
    leaked.resolve({ [way]: 'leaked' });
  };
  const tcp = createServer((socket) => {
    note('tcp');
    socket.destroy();
  });
  const udp = createSocket('udp4', () => note('udp'));
  tcp.listen(0, '127.0.0.1');
  udp.bind(0, '127.0.0.1');
  await Promise.all([once(tcp, 'listening'), once(udp, 'listening')]);
  const phase = createPhase(
    process.gone,
    startStepMs,
    () => new Error('the test of the egress wall took too long'),
  );
  try {
    const tcpPort = (tcp.address() as AddressInfo).port;
    const tries = tryEveryWay(process, context, tcpPort, udp.address().port, phase.signal);
    return { leaks, tried: await Promise.race([tries, leaked.promise]) };
  } finally {
    phase.end();
    tcp.close();
    udp.close();
  }
}

async function tryEveryWay(
  process: ChromiumProcess,
  context: typeof walled,
  tcpPort: number,
  udpPort: number,
  signal: AbortSignal,
) {
  const { root } = process.connection;
  const { browserContextId } = await root.send(
    'Target.createBrowserContext',
    { ...context, disposeOnDetach: true },
    signal,
  );
  try {
    const { targetId } = await root.send(
      'Target.createTarget',
      { url: 'about:blank', browserContextId },
      signal,
    );
    const { sessionId } = await root.send('Target.attachToTarget', { targetId, flatten: true }, signal);
    const session = process.connection.session(sessionId);
    const { result, exceptionDetails } = await session.send(
      'Runtime.evaluate',
      { expression: `(${attempts})(${tcpPort}, ${udpPort})`, awaitPromise: true, returnByValue: true },
      signal,
    );
    if (exceptionDetails) throw new Error(`the test of the egress wall failed: ${exceptionDetails.text}`);
    // The way that a page cannot prevent: navigating the main frame itself.
    const { errorText } = await session.send(
      'Page.navigate',
      { url: `http://127.0.0.1:${tcpPort}/` },
      signal,
    );
    session.forget();
    return { ...(result.value as Record<string, string>), navigation: errorText ?? 'answered' };
  } finally {
    ignore(root.send('Target.disposeBrowserContext', { browserContextId }));
  }
}

/** Runs in the page. All ways are tried at once. Behind a sound wall each ends by itself at once; the limit is for a broken browser. */
const attempts = `async (tcpPort, udpPort) => {
  const http = 'http://127.0.0.1:' + tcpPort + '/';
  const outcome = (start) => new Promise((resolve) => {
    setTimeout(() => resolve('no answer'), 10_000);
    try { start(resolve); } catch (error) { resolve(String(error)); }
  });
  const element = (name, attribute) => outcome((done) => {
    const node = document.createElement(name);
    node.onload = () => done('loaded');
    node.onerror = () => done('error');
    if (name === 'link') node.rel = 'stylesheet';
    node[attribute] = http + name;
    document.documentElement.append(node);
  });
  const ways = {
    fetch: outcome((done) => fetch(http, { mode: 'no-cors' }).then(() => done('answered'), (error) => done(String(error)))),
    image: element('img', 'src'),
    stylesheet: element('link', 'href'),
    frame: element('iframe', 'src'),
    websocket: outcome((done) => {
      const socket = new WebSocket(http.replace('http', 'ws'));
      socket.onopen = () => done('open');
      socket.onerror = () => done('error');
    }),
    webrtc: outcome((done) => {
      const urls = ['stun:127.0.0.1:' + udpPort, 'turn:127.0.0.1:' + udpPort + '?transport=udp', 'turn:127.0.0.1:' + tcpPort + '?transport=tcp'];
      const peer = new RTCPeerConnection({ iceServers: [{ urls: urls[0] }, { urls: urls.slice(1), username: 'a', credential: 'b' }] });
      peer.createDataChannel('x');
      peer.onicegatheringstatechange = () => { if (peer.iceGatheringState === 'complete') done('complete'); };
      peer.createOffer().then((offer) => peer.setLocalDescription(offer), (error) => done(String(error)));
    }),
  };
  const entries = await Promise.all(Object.entries(ways).map(async ([name, way]) => [name, await way]));
  return Object.fromEntries(entries);
}`;
