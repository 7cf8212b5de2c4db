// Administration in a real browser: links when there is no mail, settings of the installation, suspending and deleting accounts.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bearer, formOf, post } from '#test/support/requests.ts';
import { png } from '#test/support/images.ts';
import { password, signedInVisitor } from '#test/support/visitor.ts';
import { finish, startDashboard, type Dashboard, type WatchedPage } from '#test/dashboard/kit.ts';

let dashboard: Dashboard;
before(async () => {
  dashboard = await startDashboard();
});
after(() => dashboard.close());

const clipboard = (page: WatchedPage) => page.evaluate<string>('navigator.clipboard.readText()');

test('the owner copies an invitation link, and the invited person sets a password with it', async () => {
  const { page } = await dashboard.openAs({ owner: true });
  await page.goto('/dashboard/admin/accounts');
  await page.getByRole('button', { name: 'New account' }).click();
  const email = `invited-${crypto.randomUUID()}@example.com`;
  await page.getByRole('textbox', { name: 'E-mail' }).fill(email);
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: `Invite ${email}` });
  await dialog.waitFor();
  // Copy has the focus, so one key press copies the link.
  await page.keyboard.press('Enter');
  await page.getByText('Link copied.').first().waitFor();
  const link = await clipboard(page);
  const invited = await dashboard.open();
  await invited.goto(link);
  await invited.getByLabel('Password').fill(password);
  await invited.getByRole('button', { name: 'Set password' }).click();
  await invited.getByRole('heading', { name: 'First steps' }).waitFor();
  await finish(invited);

  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: new RegExp(email) }).click();
  await page.getByRole('button', { name: 'Password link' }).click();
  const passwordLink = page.getByRole('dialog', { name: 'A link to set a password' });
  await passwordLink.waitFor();
  // The button goes on saying "Copied", so that axe checks that state too.
  await page.evaluate(
    '{ const wait = setTimeout; setTimeout = (run, ms) => ms === 1500 ? 0 : wait(run, ms); }',
  );
  await passwordLink.getByRole('button', { name: 'Copy Link' }).click();
  await passwordLink.getByRole('button', { name: 'Copied Link' }).waitFor();
  const reset = await dashboard.open();
  await reset.goto(await clipboard(page));
  await reset.getByLabel('New password').waitFor();
  await finish(reset);
  await finish(page);
});

test('the owner opens sign-ups and sets the contact in the dashboard, and people see both', async () => {
  const { page } = await dashboard.openAs({ owner: true });
  await page.goto('/dashboard/admin/settings');
  await page.getByText('Open', { exact: true }).click();
  await page.getByRole('button', { name: 'Open sign-ups' }).click();
  await page.getByText('Saved. It applies from now on.').first().waitFor();
  await page.getByLabel('E-mail address, link or sentence').fill('ops@example.com');
  await page.getByRole('button', { name: 'Save contact' }).click();
  await page.getByText('Saved.', { exact: true }).first().waitFor();
  await page.getByText('Not configured').waitFor();
  const stranger = await dashboard.open();
  await stranger.goto('/dashboard/sign-up');
  await stranger.getByRole('button', { name: 'Create account' }).waitFor();
  await page.getByText('Closed', { exact: true }).click();
  await page.getByRole('radio', { name: 'Closed' }).and(page.locator(':checked')).waitFor();
  await stranger.reload();
  await stranger.getByRole('link', { name: 'ops@example.com' }).waitFor();
  assert.equal(
    await stranger.getByRole('link', { name: 'ops@example.com' }).getAttribute('href'),
    'mailto:ops@example.com',
  );
  await finish(stranger);
  await finish(page);
});

test('the owner goes from the list to the page of one account, and the look is in the audit log', async () => {
  const { page } = await dashboard.openAs({ owner: true });
  const person = await signedInVisitor(dashboard.service);
  await person.call('POST /keys', { body: { name: 'their laptop' } });
  await page.goto('/dashboard/admin/accounts');
  await page.getByRole('button', { name: new RegExp(person.email) }).click();
  await page.getByRole('link', { name: 'Look into the account' }).click();
  await page.getByRole('heading', { name: person.email }).waitFor();
  await page.getByText('their laptop').waitFor();
  await page.getByRole('link', { name: 'Audit log' }).click();
  await page.getByText(`Looked into the account ${person.email}`).waitFor();
  await finish(page);
});

test('the owner makes a plan, gives it to an account, changes its limits and deletes it; what is in the way is said', async () => {
  const { page } = await dashboard.openAs({ owner: true });
  const person = await signedInVisitor(dashboard.service, { plan: 'free' });
  await page.goto('/dashboard/admin/plans');
  await page.getByRole('button', { name: 'New plan' }).click();
  const create = page.getByRole('dialog', { name: 'New plan' });
  await create.getByLabel('Name').fill('Team');
  await create.getByLabel('Id', { exact: true }).fill('free');
  await create.getByLabel('Uploads a month').fill('12');
  await create.getByRole('button', { name: 'Create plan' }).click();
  await create.getByText('There is already a plan "free".').waitFor();
  assert.equal(await create.getByLabel('Id', { exact: true }).getAttribute('aria-invalid'), 'true');
  await create.getByLabel('Id', { exact: true }).fill('team');
  await create.getByLabel('Id', { exact: true }).press('Enter');
  await page.getByText('Plan created.').first().waitFor();

  await page.getByRole('link', { name: 'Accounts' }).click();
  await page.getByRole('button', { name: new RegExp(person.email) }).click();
  await page.getByLabel('Plan', { exact: true }).selectOption({ label: 'Team' });
  await page.getByRole('button', { name: 'Change plan' }).click();
  await page.getByText('Saved. It applies from the next request on.').first().waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  const limit = async () => (await person.call('GET /overview')).body.units.upload.limit;
  assert.equal(await limit(), 12);

  await page.getByRole('link', { name: 'Plans' }).click();
  const row = page.getByRole('button', { name: /Team.*1 account/ });
  await row.click();
  const edit = page.getByRole('dialog', { name: 'Team' });
  await edit.getByText('Move its accounts to another plan to delete this one.').waitFor();
  await edit.getByLabel('Uploads a month').fill('34');
  await edit.getByRole('button', { name: 'Save' }).click();
  await edit.waitFor({ state: 'detached' });
  assert.equal(await limit(), 34);

  await dashboard.service.accounts.update(person.email, { plan: 'free' });
  await page.reload();
  await page.getByRole('button', { name: /Team.*0 accounts/ }).click();
  await edit.getByRole('button', { name: 'Delete plan' }).click();
  await page
    .getByRole('dialog', { name: 'Delete Team?' })
    .getByRole('button', { name: 'Delete the plan' })
    .click();
  await page.getByText('Plan deleted.').first().waitFor();
  assert.equal(await page.getByRole('button', { name: /Team/ }).count(), 0);
  await page.getByRole('link', { name: 'Audit log' }).click();
  await page.getByText('Deleted a plan').waitFor();
  page.troubles = page.troubles.filter((trouble) => !trouble.includes('422'));
  await finish(page);
});

test('suspending asks first, deleting asks for the typed address, and an owner has neither button', async () => {
  const { page, person: owner } = await dashboard.openAs({ owner: true });
  const person = await signedInVisitor(dashboard.service);
  const { body: key } = await person.call('POST /keys', { body: { name: 'a' } });
  const upload = async () =>
    (
      await post(`${dashboard.service.origin}/api/v1/upload`, {
        headers: bearer(key.secret),
        body: formOf([[await png(), 'a.png']]),
      })
    ).status;
  await page.goto('/dashboard/admin/accounts');
  await page.getByRole('button', { name: new RegExp(person.email) }).click();
  await page.getByRole('button', { name: 'Suspend', exact: true }).click();
  const question = page.getByRole('dialog', { name: `Suspend ${person.email}?` });
  await question.getByLabel('Reason').fill('Too loud.');
  await page.keyboard.press('Escape');
  assert.equal(await upload(), 201);
  await page.getByRole('button', { name: 'Suspend', exact: true }).click();
  await question.getByLabel('Reason').fill('Too loud.');
  await question.getByRole('button', { name: 'Suspend the account' }).click();
  await page.getByRole('button', { name: 'Lift the suspension' }).click();
  await page.getByRole('button', { name: 'Suspend', exact: true }).waitFor();
  assert.equal(await upload(), 201);

  await page.getByRole('button', { name: 'Delete account' }).click();
  const removal = page.getByRole('dialog', { name: `Delete ${person.email}?` });
  await removal.getByLabel('Type their e-mail address').fill('somebody@else.com');
  await removal.getByRole('button', { name: 'Delete everything' }).click();
  await removal.getByText(`Type ${person.email} to confirm.`).waitFor();
  await removal.getByLabel('Type their e-mail address').fill(person.email);
  await removal.getByRole('button', { name: 'Delete everything' }).click();
  await page.getByText('Account deleted.').first().waitFor();
  assert.equal(await page.getByText(person.email).count(), 0);
  assert.equal(await upload(), 401);

  await page.getByRole('button', { name: new RegExp(owner.email) }).click();
  await page.getByText('You cannot remove your own ownership.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Delete account' }).count(), 0);
  assert.equal(await page.getByRole('switch', { name: 'Owner' }).isDisabled(), true);
  // The browser also reports the 422 of the refused attempt.
  assert.ok(page.troubles.every((trouble) => trouble.includes('422')));
  page.troubles.length = 0;
  await finish(page);
});
