// Sign-in with a code after the password, with a recovery code, and with a passkey, in a real browser.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { freePort } from '#test/support/processes.ts';
import { totp } from '#test/support/totp.ts';
import { password } from '#test/support/visitor.ts';
import { finish, judge, startDashboard, type Dashboard, type WatchedPage } from '#test/dashboard/kit.ts';

let dashboard: Dashboard;
let origin: string;
before(async () => {
  // A passkey is bound to a hostname, and an IP address is not one.
  const port = String(await freePort());
  origin = `http://localhost:${port}`;
  dashboard = await startDashboard({ PORT: port, BASE_URL: origin });
});
after(() => dashboard.close());

async function openSettings() {
  const { page, person } = await dashboard.openAs({}, { baseURL: origin });
  await page.context().close();
  const tab = await dashboard.open({ as: person, origin });
  await tab.goto('/dashboard/settings');
  await tab.getByRole('heading', { name: 'Passkeys' }).waitFor();
  return { page: tab, email: person.email };
}

async function signInBy(email: string, then: (page: WatchedPage) => Promise<void>): Promise<void> {
  const page = await dashboard.open({ origin });
  await page.goto('/dashboard/sign-in');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Enter your code' }).waitFor();
  await judge(page);
  await then(page);
  await page.getByRole('heading', { name: 'First steps' }).waitFor();
  await finish(page);
}

test('two-step codes are turned on with an app, required at the next sign-in, and turned off again', async () => {
  const { page, email } = await openSettings();
  await page.getByRole('button', { name: 'Turn on' }).click();
  await page.getByRole('dialog').getByLabel('Current password').fill(password);
  await page.keyboard.press('Enter');
  const setUp = page.getByRole('dialog', { name: 'Scan this with your app' });
  await setUp.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
  await judge(page);
  const secret = (await setUp.getByRole('region', { name: 'Key' }).textContent()) ?? '';
  const uri = `otpauth://totp/x?secret=${secret}`;
  await setUp.getByLabel('The code that the app shows').fill(totp(uri));
  await page.keyboard.press('Enter');
  const kept = page.getByRole('dialog', { name: 'Keep your recovery codes' });
  await page.keyboard.press('Escape');
  const codes = ((await kept.getByRole('region', { name: 'Recovery codes' }).textContent()) ?? '').split(
    '\n',
  );
  assert.equal(codes.length, 10);
  await kept.getByRole('button', { name: 'I have saved them' }).click();

  await signInBy(email, async (tab) => {
    await tab.getByLabel('Six-digit code').fill(totp(uri));
    await tab.keyboard.press('Enter');
  });
  await signInBy(email, async (tab) => {
    await tab.getByRole('button', { name: 'Use a recovery code' }).click();
    await tab.getByLabel('Recovery code').fill(codes[0]!);
    await tab.keyboard.press('Enter');
  });

  await page.getByRole('button', { name: 'Turn off' }).click();
  await page.getByRole('dialog').getByLabel('Current password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Turn on' }).waitFor();
  await finish(page);
});

test('a passkey is added with the password, signs in without it, and is removed', async () => {
  const { page } = await openSettings();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByLabel('Name', { exact: true }).last().fill('Test laptop');
  await page.getByRole('dialog').getByLabel('Current password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByText('Test laptop').waitFor();
  await judge(page);

  await page.getByRole('button', { name: 'Sign out', exact: true }).first().click();
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByRole('heading', { name: 'First steps' }).waitFor();

  await page.goto('/dashboard/settings');
  await page.getByRole('button', { name: 'Remove Test laptop' }).click();
  await page.getByRole('dialog').getByLabel('Current password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByText('Passkey removed.').first().waitFor();
  await page.getByRole('button', { name: 'Sign out', exact: true }).first().click();
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByText('This passkey does not belong to an account here.').waitFor();
  assert.ok(page.troubles.every((trouble) => trouble.includes('401')));
  page.troubles.length = 0;
  await finish(page);
});
