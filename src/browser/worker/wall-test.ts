// Proves at start that the browser can reach the network only through its door: a page without one tries every way to reach our
// listeners on loopback, and none may receive a packet.
import { once } from 'node:events';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { ChromiumProcess } from '#browser/process/chromium-process.ts';
import { deadEndProxy, proxyBypassList } from '#browser/process/chromium-flags.ts';
import { startStepMs } from '#browser/process/deadline.ts';
import { inTime } from '#browser/page/time/at-most.ts';
import { callOf } from '#browser/page/in-page/call-of.ts';
import { wallAttempts } from '#browser/page/in-page/wall-attempts.ts';
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
  const ports = [(tcp.address() as AddressInfo).port, udp.address().port] as const;
  const late = () => new Error('the test of the egress wall took too long');
  try {
    const tried = await inTime(startStepMs, process.gone, late, (signal) =>
      Promise.race([tryEveryWay(process, context, ports, signal), leaked.promise]),
    );
    return { leaks, tried };
  } finally {
    tcp.close();
    udp.close();
  }
}

async function tryEveryWay(
  process: ChromiumProcess,
  context: typeof walled,
  [tcpPort, udpPort]: readonly [number, number],
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
      { expression: callOf(wallAttempts, tcpPort, udpPort), awaitPromise: true, returnByValue: true },
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
