// Bugs that lost data or blocked people; each one has happened.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { png, svg } from '#test/support/images.ts';
import { formOf } from '#test/support/requests.ts';
import {
  drop,
  judge,
  lanName,
  startDashboard,
  type Dashboard,
  type WatchedPage,
} from '#test/dashboard/kit.ts';

let dashboard: Dashboard;
before(async () => {
  dashboard = await startDashboard();
});
after(() => dashboard.close());

const focused = (page: WatchedPage): Promise<string> =>
  page.evaluate<string>(
    "document.activeElement.getAttribute('aria-label') ?? document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent",
  );

test('a deletion reaches only what is shown, and names it', async () => {
  const { page, person } = await dashboard.openAs();
  for (const [name, bytes] of [
    ['live.png', await png()],
    ['mark.svg', svg()],
  ] as const) {
    await person.call('POST /uploads', { form: formOf([[bytes, name]]) });
  }
  await page.goto('/dashboard/uploads');
  await page.getByLabel('Select live.png').check({ force: true });
  await page.getByText('1 upload selected').waitFor();
  for (const [filter, value] of [
    ['Type', 'svg'],
    ['Type', ''],
  ] as const) {
    await page.getByLabel(filter, { exact: true }).selectOption(value);
    await page.getByText('1 upload selected').waitFor({ state: 'detached' });
  }
  await page.getByLabel('Select live.png').check({ force: true });
  await page.getByLabel('Search by filename').fill('mark');
  await page.getByLabel('Open live.png').waitFor({ state: 'detached' });
  await page.getByLabel('Select mark.svg').check({ force: true });
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete mark.svg?' });
  assert.equal(await dialog.getByText('live.png').count(), 0);
  await judge(page);
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('1 upload deleted.').waitFor();
  const { body } = await person.call('GET /uploads');
  assert.deepEqual(
    body.items.map(({ filename }) => filename),
    ['live.png'],
  );
  await page.context().close();
});

for (const [how, fail] of [
  ['no longer exists', { status: 404 }],
  ['fails to load', undefined],
] as const) {
  test(`a page whose code ${how} keeps its frame and can be reloaded`, async () => {
    const { page } = await dashboard.openAs();
    await page.goto('/dashboard/keys');
    await page.getByText('No keys yet').waitFor();
    await page.route(/assets\/settings-/, (route) => (fail ? route.fulfill(fail) : route.abort()));
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByText('This page could not be loaded').waitFor();
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByText('No keys yet').waitFor();
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.unroute(/assets\/settings-/);
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await page.context().close();
  });
}

test('a page that is slow to load does not take the focus from a person who has moved it', async () => {
  const { page } = await dashboard.openAs({}, { viewport: { width: 390, height: 844 } });
  const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route(/assets\/overview-/, async (route) => {
    asked.resolve();
    await released.promise;
    await route.continue();
  });
  await page.goto('/dashboard', { waitUntil: 'commit' });
  await asked.promise;
  const menu = page.getByRole('button', { name: 'Menu' });
  await menu.focus();
  released.resolve();
  await page.getByRole('heading', { name: 'First steps' }).waitFor();
  assert.equal(
    await page.evaluate<string>('document.activeElement.ariaLabel ?? document.activeElement.outerHTML'),
    'Menu',
  );
  await page.context().close();
});

test('after an upgrade of the service, a page whose code is gone loads the new version automatically', async () => {
  const { page } = await dashboard.openAs();
  await page.goto('/dashboard/keys');
  await page.getByText('No keys yet').waitFor();
  let isUpgradeSeen = false;
  await page.route(/assets\/settings-/, (route) =>
    isUpgradeSeen ? route.continue() : route.fulfill({ status: 404 }),
  );
  // The fetch gets the page of another build.
  await page.route(
    (url) => url.pathname === '/dashboard',
    (route) => {
      isUpgradeSeen = true;
      return route.fulfill({
        body: '<script type="module" src="/dashboard/assets/index-newer.js"></script>',
      });
    },
  );
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  await page.context().close();
});

test('an ended session leads to sign-in and back', async () => {
  const { page, person } = await dashboard.openAs();
  await page.goto('/dashboard');
  await page.getByRole('heading', { name: 'First steps' }).waitFor();
  await page.context().clearCookies();
  await page.getByRole('link', { name: 'Renders', exact: true }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  assert.equal(new URL(page.url()).searchParams.get('next'), '/renders');
  await page.getByLabel('E-mail').fill(person.email);
  await page.getByLabel('Password').fill('correct horse battery');
  await page.keyboard.press('Enter');
  await page.getByText('No renders yet').waitFor();
  await page.context().close();
});

test('on plain http in a LAN, where pages have no clipboard API, every copy button still works', async () => {
  const { person } = await dashboard.openAs();
  await person.call('POST /uploads', { form: formOf([[await png(), 'IMG_45.png']]) });
  const { port } = new URL(dashboard.service.origin);
  const page = await dashboard.open({ as: person, origin: `http://${lanName}:${port}` });
  await page.goto('/dashboard/uploads');
  assert.equal(await page.evaluate('isSecureContext'), false);
  await page.getByRole('button', { name: 'Copy link of IMG_45.png', exact: true }).click();
  await page.getByText('Link of IMG_45.png copied.').waitFor();
  const search = page.getByLabel('Search by filename');
  await search.focus();
  await page.keyboard.press('Control+v');
  const [{ url, file_url } = { url: '', file_url: '' }] = (await person.call('GET /uploads')).body.items;
  assert.equal(await search.inputValue(), url);
  await search.fill('');
  await page.getByRole('button', { name: 'Open IMG_45.png' }).click();
  await page.getByRole('button', { name: 'Copy Direct link' }).click();
  await page.keyboard.press('Escape');
  await search.focus();
  await page.keyboard.press('Control+v');
  assert.equal(await search.inputValue(), file_url);
  await page.context().close();
});

test('a dialog opens on its first field; the one that shows a secret once opens on Copy and does not close by accident', async () => {
  const { page, person } = await dashboard.openAs();
  await page.goto('/dashboard/keys');
  await page.getByRole('button', { name: 'Create a key' }).click();
  assert.equal(await focused(page), 'Name');
  await page.keyboard.type('laptop');
  await page.keyboard.press('Enter');
  const secret = page.getByRole('dialog', { name: 'Your new key' });
  await secret.waitFor();
  assert.equal(await focused(page), 'Copy Key');
  for (let press = 0; press < 3; press += 1) await page.keyboard.press('Escape');
  await secret.getByText('You have not copied it yet').waitFor();
  // The extra key press, which used to lose the key, now copies it.
  await page.keyboard.press('Enter');
  const key = (await secret.getByRole('region', { name: 'Key' }).textContent()) ?? '';
  assert.equal(await page.evaluate<string>('navigator.clipboard.readText()'), key);
  await page.keyboard.press('Escape');
  await secret.waitFor({ state: 'detached' });
  assert.equal((await person.call('GET /keys')).body.items.length, 1);
  await page.context().close();
});

test('the pages before sign-in focus their first field', async () => {
  const page = await dashboard.open();
  for (const [path, field] of [
    ['/dashboard/sign-in', 'E-mail'],
    ['/dashboard/forgot-password', 'E-mail'],
  ] as const) {
    await page.goto(path);
    await page.getByLabel(field).waitFor();
    assert.equal(await focused(page), field, path);
  }
  await page.context().close();
});

test('a closed dialog restores the focus, or moves it to the heading if the element that opened it is gone', async () => {
  const { page, person } = await dashboard.openAs();
  await person.call('POST /keys', { body: { name: 'laptop' } });
  await page.goto('/dashboard/keys');
  const change = page.getByRole('button', { name: 'Change laptop' });
  const ways: (() => Promise<void>)[] = [
    () => page.keyboard.press('Escape'),
    () => page.getByRole('button', { name: 'Cancel' }).click(),
    () => page.getByRole('button', { name: 'Close' }).click(),
  ];
  for (const close of ways) {
    await change.press('Enter');
    await page.getByRole('dialog').waitFor();
    await close();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(await focused(page), 'Change laptop');
  }
  await page.getByRole('button', { name: 'Revoke laptop' }).press('Enter');
  assert.equal(await focused(page), 'Cancel');
  await page.getByRole('button', { name: 'Revoke it' }).press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByText('Revoked and expired keys (1)').waitFor();
  assert.equal(await focused(page), 'API keys');
  await page.context().close();
});

test('with reduced motion there is no endless animation', async () => {
  const { page } = await dashboard.openAs({}, { reducedMotion: 'reduce' });
  await page.route('**/api/dashboard/keys', () => {});
  await page.goto('/dashboard/keys');
  await page.getByRole('status', { name: 'Loading' }).waitFor();
  const endless = await page.evaluate<number>(
    'document.getAnimations().filter((animation) => animation.effect.getTiming().iterations === Infinity).length',
  );
  assert.equal(endless, 0);
  await page.context().close();
});

test('more files than requests in the plan: the rest waits for the next minute automatically', async () => {
  const { page, person } = await dashboard.openAs({ plan: 'free' });
  const picture = await png();
  await page.goto('/dashboard/uploads');
  await page.getByText('No uploads yet').waitFor();
  // Shorter than a minute: the page waits as long as Retry-After says.
  let refusals = 0;
  await page.route('**/api/dashboard/uploads', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    const response = await route.fetch();
    if (response.status() !== 429) return route.fulfill({ response });
    refusals += 1;
    await dashboard.service.clock.advance(61_000);
    return route.fulfill({ response, headers: { ...response.headers(), 'retry-after': '2' } });
  });
  await drop(
    page.getByRole('heading', { name: 'Uploads', level: 1 }),
    Array.from({ length: 34 }, (_, index) => [`${index}.png`, picture]),
  );
  await page.getByText('Your plan allows 30 requests a minute. Continuing in').waitFor();
  await page.getByText('34 files uploaded').waitFor();
  assert.ok(refusals > 0);
  const { body } = await person.call('GET /uploads', { query: { limit: '100' } });
  assert.equal(body.items.length, 34);
  await page.context().close();
});

test('a deletion stops the link at once and can be undone from the message or from the list', async () => {
  const { page, person } = await dashboard.openAs();
  const stored = (await person.call('POST /uploads', { form: formOf([[await png(), 'dear.png']]) })).body;
  const status = async () => (await fetch(stored.file_url)).status;
  await page.goto(`/dashboard/uploads?open=${stored.id}`);
  const remove = async () => {
    await page.getByRole('dialog', { name: 'dear.png' }).getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete dear.png?' });
    await dialog.getByText('You can restore it for 7 days').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('1 upload deleted.').waitFor();
  };
  await remove();
  assert.equal(await status(), 404);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('1 upload restored. Its link works again.').waitFor();
  assert.equal(await status(), 200);
  await page.getByRole('button', { name: 'Open dear.png' }).click();
  await remove();
  await page.getByText('Recently deleted (1)').click();
  await judge(page);
  await page.getByRole('button', { name: 'Restore dear.png' }).click();
  await page.getByRole('button', { name: 'Open dear.png' }).waitFor();
  assert.equal(await status(), 200);
  await page.context().close();
});
