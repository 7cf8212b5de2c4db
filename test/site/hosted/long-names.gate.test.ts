// The hosted pages on a phone, with names that have no place to break: nothing is wider than the screen. Spec 5.5, 10.11 to 10.13.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { Album, UploadLink } from '#api/v2/album-schemas.ts';
import type { Upload } from '#api/v2/upload-schemas.ts';
import { callsOf, type Call } from '#test/support/calls-v2.ts';
import { launchTestChromium } from '#test/support/chromium.ts';
import { png } from '#test/support/images.ts';
import { formOf } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';

const long = 'w'.repeat(180);

suite('long names on a phone', () => {
  let service: TestService;
  let call: Call;
  let chromium: { browser: Browser; close: () => Promise<void> };
  before(async () => {
    [service, chromium] = await Promise.all([startService(), launchTestChromium()]);
    call = callsOf(service.origin, (await service.newKey()).key);
  });
  after(async () => {
    await chromium.close();
    await service.stop();
  });

  const upload = async (fields = {}): Promise<Upload & { delete_url: string }> =>
    (
      await call<Upload & { delete_url: string }>('POST', '/uploads', {
        body: formOf([[await png(), `${long}.png`]], fields),
      })
    ).body;
  const album = async (): Promise<string> => {
    const { id, url } = (await call<Album>('POST', '/albums', { body: { title: long, description: long } }))
      .body;
    await upload({ album: id, title: long });
    return url;
  };
  const pages: Record<string, () => Promise<string>> = {
    'the share page': async () => (await upload()).url,
    'the share page with a title': async () => (await upload({ title: long })).url,
    'the delete page': async () => (await upload()).delete_url,
    'the question for a password': async () => (await upload({ title: long, password: 'secret' })).url,
    'an album': album,
    'a drop page': async () =>
      (await call<UploadLink>('POST', '/upload_links', { body: { title: long, max_files: 3 } })).body.url ??
      '',
  };

  for (const [name, make] of Object.entries(pages))
    test(name, async () => {
      const { pathname, search } = new URL(await make());
      for (const width of [390, 320]) {
        const page = await chromium.browser.newPage({ viewport: { width, height: 800 } });
        await page.goto(service.origin + pathname + search);
        assert.match((await page.textContent('body')) ?? '', /Tintype/);
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width);
        await page.close();
      }
    });

  test('a drop page that has taken a file', async () => {
    const page = await chromium.browser.newPage({ viewport: { width: 390, height: 800 } });
    const { pathname } = new URL(await pages['a drop page']!());
    await page.goto(service.origin + pathname);
    await page.setInputFiles('input[type=file]', {
      name: `${long}.png`,
      mimeType: 'image/png',
      buffer: await png(),
    });
    await page.locator('.sent li').waitFor();
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390);
    await page.close();
  });
});
