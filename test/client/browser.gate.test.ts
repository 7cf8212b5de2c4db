// The library in a browser, as plain modules: uploads with progress, and no trace of Node.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type * as library from '#client/index.ts';
import { launchTestChromium } from '#test/support/chromium.ts';
import { pngOfSize } from '#test/support/images.ts';
import { startService } from '#test/support/service.ts';
import { temporaryFolder } from '#test/support/processes.ts';
import { compile } from '#scripts/build-clients.ts';

test('a page of the same origin uploads a file and sees its progress', async () => {
  const service = await startService();
  const folder = await temporaryFolder();
  const { browser, close } = await launchTestChromium();
  try {
    const { key } = await service.newKey();
    const context = await browser.newContext({ bypassCSP: true });
    const page = await context.newPage();
    await compile(folder.path);
    const built = join(folder.path, 'esm/library/src');
    await page.route('**/client/*.js', async (route) => {
      const name = new URL(route.request().url()).pathname.split('/').at(-1) ?? '';
      await route.fulfill({
        contentType: 'text/javascript',
        body: await readFile(join(built, name), 'utf8'),
      });
    });
    const bytes = (await pngOfSize(2 * 1024 * 1024)).toString('base64');
    await page.goto(`${service.origin}/healthz`);
    const outcome = await page.evaluate(
      async ({ origin, key, bytes }) => {
        const { Tintype } = (await import(`${origin}/client/index.js`)) as typeof library;
        const client = new Tintype({ baseUrl: origin, apiKey: key, onRetry: () => false });
        const file = new File([await (await fetch(`data:image/png;base64,${bytes}`)).blob()], 'dropped.png');
        const told: number[] = [];
        const { filename, meta } = await client.upload(file, {
          onProgress: ({ sentBytes }) => told.push(sentBytes),
        });
        const plain = await client.upload(file);
        const refused = await client.upload('/etc/passwd').catch((error: { code: string }) => error.code);
        const stop = new AbortController();
        const aborted = await client
          .upload(file, { signal: stop.signal, onProgress: () => stop.abort(new Error('enough')) })
          .catch((error: Error) => error.message);
        return {
          filename,
          limit: meta.quota?.limit,
          last: told.at(-1),
          plain: plain.sizeBytes,
          refused,
          aborted,
        };
      },
      { origin: service.origin, key, bytes },
    );
    assert.deepEqual(outcome, {
      filename: 'dropped.png',
      limit: 1_000_000,
      last: 2 * 1024 * 1024,
      plain: 2 * 1024 * 1024,
      refused: 'unreadable_file',
      aborted: 'enough',
    });
  } finally {
    await close();
    await service.stop();
    await folder.remove();
  }
});
