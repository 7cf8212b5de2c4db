// Link keys in a real browser: one is made, its secret signs a link that works, it is renamed and revoked.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { signLink } from '#client/index.ts';
import { finish, startDashboard, violations, type Dashboard } from '#test/dashboard/kit.ts';

let dashboard: Dashboard;
before(async () => {
  dashboard = await startDashboard();
});
after(() => dashboard.close());

test('a link key is made, shown once, renamed and revoked, and its links end', async () => {
  const { page } = await dashboard.openAs();
  await page.goto('/dashboard/links');
  await page.getByRole('button', { name: 'Create your first link key' }).click();
  await page.getByLabel('Name').fill('website');
  assert.deepEqual(await violations(page), []);
  await page.getByRole('button', { name: 'Create link key' }).click();
  const secret = (await page.getByRole('region', { name: 'Secret' }).textContent()) ?? '';
  assert.match(secret, /^lksec_/);
  const program = (await page.getByRole('region', { name: 'Program' }).textContent()) ?? '';
  const [, linkKey = ''] = /linkKey: '(lk_\w+)'/.exec(program) ?? [];
  assert.deepEqual(await violations(page), []);
  const url = await signLink(
    { html: '<p>', format: 'text' },
    { baseUrl: new URL(page.url()).origin, linkKey, secret },
  );
  assert.equal((await fetch(url)).status, 200);
  await page.getByRole('button', { name: 'I have saved it' }).click();
  await page.getByText(linkKey).waitFor();
  await page.getByRole('button', { name: 'Rename website' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('newsletter');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Revoke newsletter' }).click();
  await page.getByRole('button', { name: 'Revoke it' }).click();
  await page.getByText('No link keys yet').waitFor();
  assert.equal((await fetch(url)).status, 404);
  await finish(page);
});
