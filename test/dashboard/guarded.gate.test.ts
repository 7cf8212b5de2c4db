// The pages that ask before a guarded picture is shown, in a real browser, with the keyboard, and on a phone.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Upload } from '#http/api/v2/upload-schemas.ts';
import { png } from '#test/support/images.ts';
import { bearer, formOf } from '#test/support/requests.ts';
import {
  finish,
  judge,
  startDashboard,
  violations,
  type Dashboard,
  type WatchedPage,
} from '#test/dashboard/kit.ts';

let dashboard: Dashboard;
let key: string;
before(async () => {
  dashboard = await startDashboard();
  ({ key } = await dashboard.service.newKey());
});
after(() => dashboard.close());

async function store(fields: Record<string, string>): Promise<Upload> {
  const response = await fetch(`${dashboard.service.origin}/api/v2/uploads`, {
    method: 'POST',
    headers: bearer(key),
    body: formOf([[await png(400, 300), 'secret-plan.png']], fields),
  });
  return (await response.json()) as Upload;
}

/** The width of the picture as the browser has loaded it. */
async function shownWidth(page: WatchedPage): Promise<number> {
  await page.locator('img.picture').first().waitFor();
  return page.evaluate<number>(
    `(async () => { const image = document.querySelector('img.picture'); await image.decode(); return image.naturalWidth; })()`,
  );
}

test('a password: wrong, then right, with the keyboard only; a reload asks for nothing', async () => {
  const { url } = await store({ password: 'open sesame' });
  const page = await dashboard.open();
  await page.goto(url);
  assert.equal(await page.title(), 'This picture has a password · Tintype');
  assert.deepEqual(await violations(page), []);
  await page.keyboard.type('wrong');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').filter({ hasText: 'This is not the password.' }).waitFor();
  await judge(page, 'guarded-wrong');
  page.troubles = page.troubles.filter((trouble) => !trouble.includes('403'));
  await page.keyboard.type('open sesame');
  await page.keyboard.press('Enter');
  assert.equal(await shownWidth(page), 400);
  assert.equal(page.url(), url);
  await page.reload();
  assert.equal(await shownWidth(page), 400);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download' }).click(),
  ]);
  assert.equal(download.suggestedFilename(), 'secret-plan.png');
  await finish(page);
});

test('one view, on a phone: the button shows it, a reload too, and nobody else sees it', async () => {
  const { url } = await store({ max_views: '1' });
  const page = await dashboard.open({ viewport: { width: 390, height: 844 } });
  await page.goto(url);
  await page.getByRole('heading', { name: 'Show this picture?' }).waitFor();
  assert.deepEqual(await violations(page), []);
  await judge(page, 'guarded-show');
  await page.getByRole('button', { name: 'Show' }).click();
  assert.equal(await shownWidth(page), 400);
  await page.reload();
  assert.equal(await shownWidth(page), 400);
  const stranger = await dashboard.open();
  await stranger.goto(url);
  await stranger.getByRole('heading', { name: 'Nothing here' }).waitFor();
  await finish(stranger);
  await finish(page);
});
