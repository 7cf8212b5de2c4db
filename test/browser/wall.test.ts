// The wall around the browser: which addresses are opened, and the test at start that finds a hole in it. The proof `attacks`
// shows that no page gets past it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RenderFailure } from '#browser/browser.ts';
import { launchChromium } from '#browser/process/chromium-process.ts';
import { installFonts } from '#browser/install/fonts.ts';
import { browserUser } from '#browser/process/unprivileged.ts';
import { testWall } from '#browser/wall-test.ts';
import { cacheFolder, chromiumUnderTest, startTestBrowser } from '#lab/support/browser.ts';

test('only http and https are opened', async () => {
  const kit = await startTestBrowser([]);
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
  await kit.close();
});

test('the test of the wall at start finds a hole, whichever it is', async () => {
  const chromium = await chromiumUnderTest();
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
    // The page may bypass its proxy to loopback.
    const open = await testWall(walled, { proxyServer: 'http://no-way-out.invalid:1', proxyBypassList: '' });
    assert.ok(open.leaks.tcp > 0, 'a bypass list without <-loopback> is found');
  } finally {
    await Promise.all([walled.close(), leaky.close()]);
  }
});
