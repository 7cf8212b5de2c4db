// The wall around the browser: which addresses are opened, and the test at start that finds a hole in it. The proof `attacks`
// shows that no page gets past it.
import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import type { RenderFailure } from '#browser/browser.ts';
import { chromiumFlags, deadEndProxy } from '#browser/process/chromium-flags.ts';
import { testWall } from '#browser/worker/wall-test.ts';
import { launchBareChromium } from '#test/support/bare-chromium.ts';
import { useTestBrowser } from '#test/support/browser.ts';

test('only http and https are opened', async () => {
  const kit = await useTestBrowser([]);
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

const flagsOf = (part: string): string[] =>
  chromiumFlags({ kind: 'headless-shell', userDataFolder: '', sandboxed: true }).filter((flag) =>
    flag.includes(part),
  );
const isAlone = Object.values(networkInterfaces()).every((addresses) =>
  addresses?.every(({ internal }) => internal),
);

test(
  'the test of the wall at start finds WebRTC without its flags',
  {
    skip: isAlone && 'there is no network interface but loopback, and WebRTC sends nothing then',
  },
  async () => {
    const leaky = await launchBareChromium({ without: flagsOf('webrtc-ip-handling') });
    try {
      assert.ok((await testWall(leaky)).leaks.udp > 0);
    } finally {
      await leaky.close();
    }
  },
);

test('the test of the wall at start finds no hole in the wall, and a bypass list without <-loopback', async () => {
  const walled = await launchBareChromium();
  const open = await launchBareChromium({ without: flagsOf('host-resolver-rules') });
  try {
    const whole = await testWall(walled);
    assert.deepEqual(whole.leaks, { tcp: 0, udp: 0 });
    assert.equal(Object.keys(whole.tried).length, 7);
    // The page may bypass its proxy to loopback, where the resolver rules are a second wall.
    const bypass = { proxyServer: deadEndProxy, proxyBypassList: '' };
    assert.deepEqual((await testWall(walled, bypass)).leaks, { tcp: 0, udp: 0 });
    assert.ok((await testWall(open, bypass)).leaks.tcp > 0);
  } finally {
    await Promise.all([walled, open].map((browser) => browser.close()));
  }
});
