// Flags that copied lists of "flags for automation" contain, and that would remove a protection which renders rely on.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chromiumFlags } from '#browser/process/chromium-flags.ts';

const never = [
  // One page could keep the browser process busy for every other.
  '--disable-ipc-flooding-protection',
  '--disable-site-isolation-trials',
  '--disable-web-security',
  '--allow-running-insecure-content',
  '--single-process',
  '--no-zygote',
];

test('no flag removes a protection between pages', () => {
  for (const kind of ['headless-shell', 'full'] as const) {
    const flags = chromiumFlags({ kind, userDataFolder: '/nowhere', sandboxed: true });
    assert.deepEqual(
      flags.filter((flag) => never.includes(flag) || flag === '--no-sandbox'),
      [],
    );
  }
});
