// Albums, tags, names, passwords, upload links, "all that match" and the bin of renders, as a person uses them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { png } from '#test/support/images.ts';
import { formOf } from '#test/support/requests.ts';
import { storeRender } from '#test/support/stored-render.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { finish, judge, startDashboard, type Dashboard, type WatchedPage } from '#test/dashboard/kit.ts';

let dashboard: Dashboard;
before(async () => {
  dashboard = await startDashboard();
});
after(() => dashboard.close());

const clipboard = (page: WatchedPage): Promise<string> =>
  page.evaluate<string>('navigator.clipboard.readText()');
const statusOf = async (url: string): Promise<number> => (await fetch(url)).status;

test('an upload is renamed, tagged and locked; its tag leads to it', async () => {
  const { page, person } = await dashboard.openAs();
  const { body: stored } = await person.call('POST /uploads', { form: formOf([[await png(), 'IMG_1.png']]) });
  await person.call('POST /uploads', { form: formOf([[await png(), 'other.png']]) });
  await page.goto('/dashboard/uploads');
  await page.getByRole('button', { name: 'Open IMG_1.png' }).click();
  await page.getByRole('button', { name: 'Edit' }).click();
  const form = page.getByRole('dialog', { name: 'Edit the upload' });
  await form.getByLabel('File name').fill('harbour.png');
  await form.getByLabel('Tags').fill('sea, may');
  await form.getByLabel('Password').fill('open sesame');
  await judge(page);
  await form.getByRole('button', { name: 'Save' }).click();
  await form.waitFor({ state: 'hidden' });
  await page.getByRole('heading', { name: 'harbour.png' }).waitFor();
  await page.getByText('need the password').waitFor();
  assert.equal(await statusOf(stored.file_url), 404);
  await page.getByRole('link', { name: 'may' }).click();
  await page.getByText('1 upload found').waitFor();
  assert.equal(await page.getByLabel('Tag', { exact: true }).inputValue(), 'may');
  await page.getByRole('button', { name: 'Open harbour.png' }).click();
  await page.getByRole('button', { name: 'Edit' }).click();
  await form.getByLabel('Remove the password').check();
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('textbox', { name: 'Direct link' }).waitFor();
  assert.equal(await statusOf(stored.file_url), 200);
  await finish(page);
});

test('all that match, more than are loaded, go into a new album and are deleted and restored', async () => {
  const { page, person } = await dashboard.openAs();
  const picture = await png();
  const names = Array.from({ length: 62 }, (_, index) => `${index}.png`);
  await Promise.all(names.map((name) => person.call('POST /uploads', { form: formOf([[picture, name]]) })));
  await page.goto('/dashboard/uploads');
  await page.getByRole('checkbox').first().check();
  const bar = page.getByRole('region', { name: 'Selected uploads' });
  await bar.getByRole('button', { name: 'Select all that match' }).click();
  await bar.getByText('62 uploads selected').waitFor();
  await bar.getByLabel('Move to album').selectOption('New album …');
  const form = page.getByRole('dialog', { name: 'Create an album' });
  await form.getByLabel('Title').fill('Everything');
  await form.getByRole('button', { name: 'Create album' }).click();
  await page.getByText('Album of 62 uploads changed.').waitFor();
  const album = (await person.call('GET /albums')).body.items[0]!;
  assert.deepEqual([album.title, album.count], ['Everything', 62]);
  await bar.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete 62 uploads' }).click();
  await page.getByText('62 uploads deleted.').waitFor();
  assert.deepEqual((await person.call('GET /uploads')).body.items, []);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('62 uploads restored.').waitFor();
  await page.goto('/dashboard/albums');
  await page.getByRole('button', { name: 'Copy link of Everything' }).click();
  await waitFor('the link', async () => (await clipboard(page)) === album.url);
  await page.getByRole('button', { name: 'Delete Everything' }).click();
  await page.getByRole('button', { name: 'Delete the album' }).click();
  await page.getByText('No albums yet').waitFor();
  await finish(page);
});

test('an upload link is made, its address is shown once, and it ends', async () => {
  const { page } = await dashboard.openAs();
  await page.goto('/dashboard/upload-links');
  await page.getByRole('button', { name: 'Create an upload link' }).first().click();
  await page.getByLabel('Title').fill('Send me yours');
  await page.getByLabel('Files at most').fill('3');
  await page.getByRole('button', { name: 'Create the link' }).click();
  const address = (await page.getByRole('region', { name: 'Address' }).textContent()) ?? '';
  assert.equal(await statusOf(address), 200);
  await judge(page);
  await page.getByRole('button', { name: 'I have saved it' }).click();
  await page.getByText('0 of 3 files').waitFor();
  await page.getByRole('button', { name: 'End Send me yours' }).click();
  await page.getByRole('button', { name: 'End it' }).click();
  await page.getByText('No upload links').waitFor();
  assert.equal(await statusOf(address), 404);
  await finish(page);
});

test('all renders that match, more than are loaded, are deleted and restored', async () => {
  const { page, person } = await dashboard.openAs();
  const outputs = [{ format: 'text' as const, bytes: Buffer.from('a page') }];
  for (let count = 0; count < 52; count += 1) await storeRender(dashboard.service, person.accountId, outputs);
  await page.goto('/dashboard/renders');
  await page.getByRole('checkbox').first().check();
  const bar = page.getByRole('region', { name: 'Selected renders' });
  await bar.getByRole('button', { name: 'Select all that match' }).click();
  await bar.getByText('52 renders selected').waitFor();
  await bar.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete 52 renders' }).click();
  await page.getByText('52 renders deleted.').waitFor();
  assert.deepEqual((await person.call('GET /renders')).body.items, []);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('52 renders restored.').waitFor();
  await finish(page);
});

test('a render is deleted and restored; its dialog says what was asked for in words', async () => {
  const { page, person } = await dashboard.openAs();
  const options = JSON.stringify({
    full_page: true,
    viewport: { width: 390, height: 844 },
    wait_until: 'load',
    margin: { top: 0 },
  });
  const id = await storeRender(
    dashboard.service,
    person.accountId,
    [{ format: 'png', bytes: await png(640, 480) }],
    { title: 'Prices of the day', options },
  );
  await page.goto('/dashboard/renders');
  await page.getByText('Screenshot · 640 × 480').waitFor();
  await page.getByRole('button', { name: 'Prices of the day' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Prices of the day' });
  const facts = await dialog.locator('dl').innerText();
  for (const said of [
    /Dimensions\s+640 × 480 px/,
    /Window\s+390 × 844 px/,
    /Whole page\s+yes/,
    /Waits\s+until/,
  ])
    assert.match(facts, said);
  assert.doesNotMatch(facts, /[{_]/);
  await judge(page);
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete it' }).click();
  await page.getByText('1 render deleted.').waitFor();
  const file = `${dashboard.service.origin}/s/${id}`;
  assert.equal(await statusOf(file), 404);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('1 render restored.').waitFor();
  assert.equal(await statusOf(file), 200);
  await page.getByLabel(/^Select Prices of the day/).check();
  await page
    .getByRole('region', { name: 'Selected renders' })
    .getByRole('button', { name: 'Delete' })
    .click();
  await page.getByRole('button', { name: 'Delete it' }).click();
  await page.getByText('Recently deleted (1)').click();
  await page.getByRole('button', { name: 'Restore https://example.com/' }).click();
  await page.getByText('Prices of the day').first().waitFor();
  assert.equal(await statusOf(file), 200);
  await finish(page);
});
