// Sign-in with an OpenID Connect provider in a real browser: a newcomer, somebody whose address is taken, and the link in the settings.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createOidcServer, type OidcServer } from '#test/support/oidc.ts';
import { freePort } from '#test/support/processes.ts';
import { password } from '#test/support/visitor.ts';
import { finish, judge, startDashboard, type Dashboard, type WatchedPage } from '#test/dashboard/kit.ts';

let dashboard: Dashboard;
let provider: OidcServer;
before(async () => {
  const port = String(await freePort());
  const baseUrl = `http://127.0.0.1:${port}`;
  provider = await createOidcServer({ baseUrl });
  dashboard = await startDashboard({
    PORT: port,
    BASE_URL: baseUrl,
    ...provider.environment,
    OIDC_SIGNUPS: 'open',
  });
});
after(async () => {
  await dashboard.close();
  await provider.close();
});

/** The provider is another host, and is meant. */
async function done(page: WatchedPage, name?: string): Promise<void> {
  page.troubles = page.troubles.filter((trouble) => !trouble.includes(`foreign request: ${provider.issuer}`));
  await finish(page, name);
}

const goTo = (page: WatchedPage) => page.getByRole('button', { name: 'Sign in with Example ID' }).click();

test('a newcomer: first the provider does not answer, then it lets them in, to the page that they wanted', async () => {
  const page = await dashboard.open();
  await page.goto('/dashboard/sign-in?next=/uploads');
  await goTo(page);
  await page.getByRole('alert').filter({ hasText: 'Example ID does not answer.' }).waitFor();
  await judge(page, 'oidc-unavailable');
  await provider.listen();
  provider.who = { sub: 'ann', claims: { email: 'ann@example.com', email_verified: true, name: 'Ann' } };
  await page.goto('/dashboard/sign-in?next=/uploads');
  await goTo(page);
  await page.getByRole('heading', { name: 'Uploads', level: 1 }).waitFor();
  await done(page);
});

test('somebody else with a known address is told to sign in as before, and links the account in the settings', async () => {
  const { page, person } = await dashboard.openAs();
  const stranger = await dashboard.open();
  provider.who = { sub: 'bob', claims: { email: person.email, email_verified: true } };
  await stranger.goto('/dashboard/sign-in');
  await goTo(stranger);
  await stranger.getByRole('alert').filter({ hasText: 'There is already an account' }).waitFor();
  await done(stranger, 'oidc-address-taken');

  await page.goto('/dashboard/settings');
  await page.getByRole('button', { name: 'Link to Example ID' }).click();
  await page.getByRole('dialog').getByLabel('Current password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByText('This account is linked.').waitFor();
  await judge(page, 'oidc-linked');
  await page.getByRole('button', { name: 'Sign out', exact: true }).first().click();
  await goTo(page);
  await page.getByRole('heading', { name: 'First steps' }).waitFor();

  await page.goto('/dashboard/settings');
  await page.getByRole('button', { name: 'Unlink' }).click();
  await page.getByRole('dialog').getByLabel('Current password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Link to Example ID' }).waitFor();
  assert.equal(await page.getByText('This account is linked.').count(), 0);
  await done(page);
});
