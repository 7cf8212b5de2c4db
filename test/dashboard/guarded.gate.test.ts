// The pages that ask before a guarded picture is shown, in a real browser, with the keyboard, and on a phone.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Upload } from '#api/v2/upload-schemas.ts';
import { png } from '#test/support/images.ts';
import { bearer, formOf } from '#test/support/requests.ts';
import { waitFor } from '#test/support/wait-for.ts';
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

test('used-up views: the owner finds the picture, allows more, and the link works again', async () => {
  const { page, person } = await dashboard.openAs();
  for (const name of ['open.png', 'once.png'])
    await person.call('POST /uploads', { form: formOf([[await png(400, 300), name]]) });
  const [{ id, slug } = { id: '', slug: '' }] = (await person.call('GET /uploads')).body.items;
  await person.call('PATCH /uploads/:id', { id, body: { max_views: 1 } });
  const press = () =>
    fetch(`${dashboard.service.origin}/i/${slug}/show`, { method: 'POST', redirect: 'manual' });
  assert.deepEqual([(await press()).status, (await press()).status], [303, 404]);

  await page.goto('/dashboard/uploads');
  await page.getByText('Views used up').waitFor();
  await judge(page, 'views-used-up-list');
  await page.getByRole('button', { name: 'Open once.png' }).click();
  const dialog = page.getByRole('dialog', { name: 'once.png' });
  await dialog.getByRole('region', { name: 'Views used up' }).waitFor();
  await judge(page, 'views-used-up');
  await dialog.getByRole('button', { name: 'Allow more' }).click();
  const asked = page.getByRole('dialog', { name: 'Allow more views' });
  await asked.getByLabel('More views').fill('2');
  await judge(page, 'views-allow-more');
  await asked.getByRole('button', { name: 'Allow', exact: true }).click();
  await page.getByText('The link works again.').first().waitFor();
  await dialog.getByText('1 of 3 views').waitFor();
  await waitFor('the list to say so', async () => (await page.getByText('Views used up').count()) === 0);
  assert.deepEqual([(await press()).status, (await press()).status, (await press()).status], [303, 303, 404]);

  await page.reload();
  await dialog.getByRole('button', { name: 'Allow more' }).click();
  await asked.getByLabel('More views').fill('');
  await asked.getByRole('button', { name: 'Allow', exact: true }).click();
  await page.getByText('The link works again.').first().waitFor();
  assert.equal((await fetch(`${dashboard.service.origin}/f/${slug}`)).status, 200);
  await finish(page);
});
