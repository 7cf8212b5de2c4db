// What goes wrong around the dashboard: sessions that end, tabs that change accounts, wrong clocks, odd names, impatient clicks.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { png } from '#test/support/images.ts';
import { bearer, formOf, post } from '#test/support/requests.ts';
import { password } from '#test/support/visitor.ts';
import { waitFor } from '#test/support/wait-for.ts';
import {
  drop,
  judge,
  finish,
  startDashboard,
  type Dashboard,
  type WatchedPage,
} from '#test/dashboard/kit.ts';

let dashboard: Dashboard;
let picture: Buffer;
before(async () => {
  dashboard = await startDashboard({
    PLANS_FILE: new URL('../fixtures/plans.json', import.meta.url).pathname,
  });
  picture = await png();
});
after(() => dashboard.close());

async function signIn(page: WatchedPage, email: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

test('a session that ends during an upload: sign in again and send the file again', async () => {
  const { page, person } = await dashboard.openAs();
  await page.goto('/dashboard/uploads');
  await page.getByRole('heading', { name: 'No uploads yet' }).waitFor();
  await page.context().clearCookies();
  await drop(page.locator('main'), [['late.png', picture]]);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await signIn(page, person.email);
  await page.getByRole('button', { name: /Try again/ }).click();
  await page.getByText('Link copied.').waitFor();
  assert.equal((await person.call('GET /uploads')).body.items.length, 1);
  await page.context().close();
});

test('another tab signs in to another account: this one shows that account, not a mixture', async () => {
  const { page, person } = await dashboard.openAs();
  const { person: other } = await dashboard.openAs();
  await person.call('POST /keys', { body: { name: 'of the first' } });
  await other.call('POST /keys', { body: { name: 'of the second' } });
  await page.goto('/dashboard/keys');
  await page.getByText('of the first', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Create a key' }).click();

  const second = (await page.context().newPage()) as WatchedPage;
  await second.goto('/dashboard');
  await second.getByRole('button', { name: 'Sign out' }).click();
  await second.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await signIn(second, other.email);
  await second.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();

  await page.getByText('of the second', { exact: true }).waitFor();
  assert.equal(await page.getByText('of the first', { exact: true }).count(), 0);
  assert.equal(await page.getByRole('dialog').count(), 0);
  await page.context().close();
});

test('a clock that is two days off: times are counted from the clock of the service', async () => {
  const { page, person } = await dashboard.openAs();
  await person.call('POST /uploads', { form: formOf([[picture, 'now.png']]) });
  await page.clock.install({ time: Date.now() - 2 * 86_400_000 });
  await page.goto('/dashboard/uploads');
  await page.getByText(/· just now$/).waitFor();
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

test('names of 255 emoji, right to left, and with markup stay inside their tiles and dialogs', async () => {
  const { page, person } = await dashboard.openAs({}, { viewport: { width: 390, height: 844 } });
  const names = [`${'🦋'.repeat(255)}.png`, 'صورة ‮gnp.exe‬ من البحر.png', `<img src=x onerror=alert(1)>.png`];
  for (const name of names) await person.call('POST /uploads', { form: formOf([[picture, name]]) });
  await page.goto('/dashboard/uploads');
  const tiles = page.getByRole('main').getByRole('listitem');
  await tiles.nth(2).waitFor();
  const isSideways = () =>
    page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth');
  assert.equal(await isSideways(), false);
  await judge(page, 'names');
  for (const { id } of (await person.call('GET /uploads')).body.items) {
    await page.goto(`/dashboard/uploads?open=${id}`);
    await page.getByRole('dialog').waitFor();
    const wide = await page.evaluate<boolean>(
      `(() => { const dialog = document.querySelector('dialog'); return dialog.scrollWidth > dialog.clientWidth; })()`,
    );
    assert.equal(wide, false);
  }
  await finish(page, 'names-dialog');
});

test('a plan without any units: every page shows numbers, and an upload says that the quota is used up', async () => {
  const { page } = await dashboard.openAs({ plan: 'no-uploads' });
  for (const path of ['', '/usage', '/uploads', '/renders', '/keys', '/playground']) {
    await page.goto(`/dashboard${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const text = await page.locator('main').innerText();
    assert.doesNotMatch(text, /NaN|Infinity|undefined|null/, path);
  }
  await page.goto('/dashboard/uploads');
  await drop(page.locator('main'), [['none.png', picture]]);
  await page.getByText('The upload quota of this month is used up.').waitFor();
  await judge(page, 'no-units');
  await page.context().close();
});

test('a double click makes one thing, not two', async () => {
  const { page, person } = await dashboard.openAs();
  await page.goto('/dashboard/keys');
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByLabel('Name').fill('impatient');
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).dblclick();
  await page.getByRole('heading', { name: 'Your new key' }).waitFor();
  await page.goto('/dashboard/integrations');
  await page.getByRole('button', { name: 'Set up ShareX' }).dblclick();
  await page.getByRole('button', { name: 'Create the key' }).dblclick();
  await page.getByRole('region', { name: '.sxcu' }).waitFor();
  const names = (await person.call('GET /keys')).body.items.map(({ name }) => name);
  assert.deepEqual(names.toSorted(), ['ShareX', 'impatient']);

  const url = dashboard.site.route('/twice', '<!doctype html><title>twice</title><p>twice');
  await page.goto(`/dashboard/playground?body=${encodeURIComponent(JSON.stringify({ url }))}`);
  await page.getByRole('button', { name: 'Run' }).dblclick();
  await page.getByAltText('The screenshot').waitFor();
  assert.equal((await person.call('GET /usage')).body.units.render.used, 1);
  await page.context().close();
});

test('back and forward: pages, filters and dialogs come and go in order', async () => {
  const { page, person } = await dashboard.openAs();
  const { secret } = (await person.call('POST /keys', { body: { name: 'k' } })).body;
  await post(`${dashboard.service.origin}/api/v1/upload`, {
    headers: bearer(secret),
    body: formOf([[picture, 'there.png']]),
  });
  await page.goto('/dashboard');
  await page.getByRole('link', { name: 'Uploads', exact: true }).click();
  await page.getByRole('button', { name: 'Open there.png' }).click();
  await page.getByRole('dialog').waitFor();
  await page.goBack();
  await waitFor('the dialog to close', async () => (await page.getByRole('dialog').count()) === 0);
  await page.getByRole('heading', { name: 'Uploads', level: 1 }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  await page.goForward();
  await page.goForward();
  await page.getByRole('dialog').waitFor();
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});
