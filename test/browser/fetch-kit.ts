// Helpers for the tests of finding and fetching a browser.
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '#test/support/processes.ts';

export const silent = { info() {}, warn() {}, error() {} };
export const accept = () => Promise.resolve();

/** A folder that the unprivileged browser can read too. */
export function openFolder(): { path: string; [Symbol.dispose](): void } {
  const path = mkdtempSync(join(tmpdir(), 'tintype-test-'));
  chmodSync(path, 0o755);
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Fetches into a folder in another process. */
export function fetchElsewhere(cacheFolder: string, environment: Record<string, string>) {
  const script = `
    import { fetchChromium } from '#browser/install/fetch-chromium.ts';
    const log = { info(_, message) { console.log(message); }, warn(_, message) { console.error(message); }, error() {} };
    const { environment, cacheFolder } = JSON.parse(process.argv[1]);
    await fetchChromium({ cacheFolder, environment, log, check: () => Promise.resolve() });
  `;
  const work = JSON.stringify({ cacheFolder, environment });
  return spawn(process.execPath, ['--input-type=module-typescript', '-e', script, work], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}
