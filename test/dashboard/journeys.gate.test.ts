// The main user journeys, end to end, in a real browser against a real service.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { jpeg, png, svg, webp } from '#test/support/images.ts';
import { startMailbox, type Mailbox } from '#test/support/mailbox.ts';
import { freePort, serveUntilReady, temporaryFolder } from '#test/support/processes.ts';
import { bearer, formOf, post } from '#test/support/requests.ts';
import { password } from '#test/support/visitor.ts';
import { waitFor } from '#test/support/wait-for.ts';
import {
  drop,
  finish,
  judge,
  startDashboard,
  type Dashboard,
  type WatchedPage,
} from '#test/dashboard/kit.ts';

const run = promisify(execFile);

let dashboard: Dashboard;
let mailbox: Mailbox;
before(async () => {
  mailbox = await startMailbox();
  dashboard = await startDashboard({ SIGNUPS: 'open', SMTP_URL: mailbox.url });
});
after(async () => {
  await dashboard.close();
  await mailbox.close();
});

const upload = async (key: string): Promise<number> =>
  (
    await post(`${dashboard.service.origin}/api/v1/upload`, {
      headers: bearer(key),
      body: formOf([[await png(), 'a.png']]),
    })
  ).status;

const statusOf = async (url: string): Promise<number> => (await fetch(url)).status;

/** Creates a key in the dialog and returns what is shown only once. */
async function createKey(
  page: WatchedPage,
  name: string,
  terms: { scope?: string; lastDay?: string; uploads?: string } = {},
): Promise<{ secret: string; command: string }> {
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  const { scope, lastDay, uploads } = terms;
  if (scope !== undefined) await page.getByLabel('May be used for').selectOption(scope);
  if (lastDay !== undefined) await page.getByLabel('Last day').fill(lastDay);
  if (uploads !== undefined) await page.getByLabel('Uploads a month').fill(uploads);
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog', { name: 'Your new key' });
  const secret = (await dialog.getByRole('region', { name: 'Key' }).textContent()) ?? '';
  const command = (await dialog.getByRole('region', { name: 'Command' }).textContent()) ?? '';
  return { secret, command };
}

test('from first start to first successful curl: the printed link, a password, a key, and a command that works as pasted', async (context) => {
  const { path, remove } = await temporaryFolder();
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const serving = await serveUntilReady({ DATA_DIR: path, PORT: String(port), BASE_URL: origin });
  context.after(async () => {
    await serving.end();
    await remove();
  });
  await waitFor('the first-start block', () => serving.stdout().includes('/welcome?token='));
  // The printed command uses the address of this installation.
  assert.ok(
    serving
      .stdout()
      .includes(`"DATA_DIR=${path} BASE_URL=${origin} npx tintype account link owner@tintype.local"`),
  );
  const link = /http\S+\/welcome\?token=\S+/.exec(serving.stdout())?.[0] ?? '';
  const page = await dashboard.open({ origin });
  await page.goto(link);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.getByRole('heading', { name: 'First steps' }).waitFor();
  await page.getByRole('link', { name: 'API keys' }).click();
  const { secret, command } = await createKey(page, 'terminal');
  await page.getByRole('button', { name: 'Copy command' }).click();
  assert.equal(await page.evaluate<string>('navigator.clipboard.readText()'), command);
  assert.ok(command.includes(secret));
  const { stdout } = await run('sh', ['-c', command]);
  const { file_url } = JSON.parse(stdout) as { file_url: string };
  assert.equal(await statusOf(file_url), 200);
  await page.getByRole('button', { name: 'I have saved it' }).click();
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByText('Upload your first picture (done)').waitFor();
  await page.getByRole('link', { name: 'hello.svg' }).waitFor();
  await finish(page);
});

test('the first key is created in the first steps, which are ticked off when done', async () => {
  const { page } = await dashboard.openAs({ plan: 'free' });
  await page.goto('/dashboard');
  await page.getByRole('button', { name: 'Create a key' }).click();
  const code = page.getByRole('region', { name: 'Command' });
  await code.getByText('Bearer tt_').waitFor();
  await run('sh', ['-c', (await code.textContent()) ?? '']);
  await page.getByText('Use the key (done)').waitFor();
  await finish(page);
});

test('sign-up: keys can be created once the mailed link is opened', async () => {
  const email = 'new@example.com';
  const page = await dashboard.open();
  await page.goto('/dashboard/keys');
  await page.getByRole('link', { name: 'Create an account' }).click();
  await page.getByLabel('Name').fill('New Person');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'Verify your e-mail address' }).first().waitFor();
  await page.getByRole('link', { name: 'API keys' }).click();
  await page.getByRole('heading', { name: 'No keys yet' }).waitFor();
  assert.ok(await page.getByRole('button', { name: 'Create a key' }).isDisabled());
  await page.getByText('Until then anyone could have made this account.').waitFor();
  await page.goto(await mailbox.link(email));
  await page.getByRole('heading', { name: 'Your address is verified' }).waitFor();
  await page.getByRole('link', { name: 'Go to the overview' }).click();
  await page.getByRole('link', { name: 'API keys' }).click();
  const { secret } = await createKey(page, 'mine');
  await page.getByRole('button', { name: 'I have saved it' }).click();
  assert.equal(await upload(secret), 201);
  await finish(page);
});

test('a forgotten password is reset with the mailed link; page and mail say what still works', async () => {
  const { page, person } = await dashboard.openAs();
  await person.call('POST /keys', { body: { name: 'build server' } });
  await page.context().clearCookies();
  await page.goto('/dashboard');
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await page.getByLabel('E-mail').fill(person.email);
  await page.getByRole('button', { name: 'Get a link' }).click();
  await page.getByText('is on its way').waitFor();
  await page.goto(await mailbox.link(person.email));
  await page.getByLabel('New password').fill('another good one');
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.getByRole('region', { name: 'These still work' }).getByText('build server').waitFor();
  await judge(page);
  assert.match(await mailbox.text(person.email), /These still work\.[^]*- the API key "build server"/);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('E-mail').fill(person.email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('The e-mail address or the password is wrong.').waitFor();
  page.troubles.length = 0;
  await page.getByLabel('Password').fill('another good one');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await finish(page);
});

test('a key is created, used and revoked: the next request answers 401, and the log has the real reason', async () => {
  const { page } = await dashboard.openAs();
  await page.goto('/dashboard/keys');
  const { secret } = await createKey(page, 'laptop');
  await judge(page);
  await page.getByRole('button', { name: 'I have saved it' }).click();
  assert.equal(await upload(secret), 201);
  await page.getByRole('link', { name: 'laptop' }).click();
  await page.reload();
  await page.getByText('127.0.0.1', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'All keys' }).click();
  await page.getByRole('button', { name: 'Revoke laptop' }).click();
  await page.getByRole('button', { name: 'Revoke it' }).click();
  await page.getByText('Revoked and expired keys (1)').waitFor();
  assert.equal(await upload(secret), 401);
  await page.getByRole('link', { name: 'Request log' }).click();
  await waitFor('the refused request in the log', async () => {
    await Promise.all([
      page.waitForResponse(/\/api\/dashboard\/requests/),
      page.getByRole('button', { name: 'Refresh' }).click(),
    ]);
    return page.getByText('revoked key').isVisible();
  });
  await finish(page);
});

test('a key only for renders with an expiry date: the list shows both, it may not upload, and it expires on that day', async () => {
  const { page } = await dashboard.openAs();
  const { clock } = dashboard.service;
  await page.goto('/dashboard/keys');
  await page.getByRole('button', { name: 'Create a key' }).click();
  const lastDay = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
  await page.getByLabel('May be used for').selectOption('Renders only');
  await page.getByLabel('Last day').fill(lastDay);
  await judge(page);
  await page.getByRole('button', { name: 'Close' }).click();

  const narrow = await createKey(page, 'captures', { scope: 'Renders only', lastDay });
  assert.match(narrow.command, /api\/v1\/screenshot/, 'the suggested command is one that this key may run');
  await page.getByRole('button', { name: 'I have saved it' }).click();
  await page.getByText(/^Renders only · expires /).waitFor();
  assert.equal(await upload(narrow.secret), 401);

  const brief = await createKey(page, 'brief', { scope: 'Uploads only', lastDay });
  await page.getByRole('button', { name: 'I have saved it' }).click();
  assert.equal(await upload(brief.secret), 201);
  await page.goto('/dashboard/keys');
  const row = page.getByRole('listitem').filter({ hasText: 'brief' });
  await row.getByText(/^Uploads only · expires /).waitFor();
  await row.getByText('just now').waitFor();
  assert.deepEqual(await row.getByRole('definition').allTextContents(), ['just now', '1', '0']);
  await clock.advance(5 * 86_400_000);
  assert.equal(await upload(brief.secret), 401);
  await clock.advance(-5 * 86_400_000);

  await page.getByRole('link', { name: 'Request log' }).click();
  await page.getByText('key may not upload').waitFor();
  await page.getByLabel('Path').selectOption('v1/pdf');
  await page.getByText('No matching requests').waitFor();
  assert.match(page.url(), /path=%2Fapi%2Fv1%2Fpdf/);
  await page.getByRole('button', { name: 'Clear the filters' }).click();
  await page.getByText('key may not upload').waitFor();
  await page.getByRole('button', { name: 'Follow live' }).click();
  assert.equal(await upload(brief.secret), 201);
  await page.getByText('201').nth(1).waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await finish(page);
});

test('a key with a quota of its own: the list and its page show what is used, and the quota can be raised', async () => {
  const { page } = await dashboard.openAs();
  await page.goto('/dashboard/keys');
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByLabel('Uploads a month').fill('1');
  await judge(page);
  await page.getByRole('button', { name: 'Close' }).click();

  const { secret } = await createKey(page, 'build', { uploads: '1' });
  await page.getByRole('button', { name: 'I have saved it' }).click();
  assert.deepEqual([await upload(secret), await upload(secret)], [201, 402]);
  await page.goto('/dashboard/keys');
  await page.getByText('1 of 1 uploads this month').waitFor();
  await page.getByRole('button', { name: 'Change build' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change build' });
  assert.equal(await dialog.getByLabel('Renders a month').inputValue(), '');
  await dialog.getByLabel('Uploads a month').fill('1000');
  await judge(page);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('1 of 1,000 uploads this month').waitFor();
  assert.equal(await upload(secret), 201);
  await page.goto('/dashboard/keys');
  await page.getByRole('link', { name: 'build', exact: true }).click();
  await page.getByText('2 of 1,000 used').waitFor();
  await finish(page);
});

test('a key is rotated: old and new both work during the grace period', async () => {
  const { page } = await dashboard.openAs();
  await page.goto('/dashboard/keys');
  const old = await createKey(page, 'server');
  await page.getByRole('button', { name: 'I have saved it' }).click();
  await page.getByRole('button', { name: 'Rotate server' }).click();
  await page.getByLabel('The old key works for').selectOption('3600');
  await page.getByRole('button', { name: 'Rotate key' }).click();
  const fresh = (await page.getByRole('region', { name: 'Key' }).textContent()) ?? '';
  assert.notEqual(fresh, old.secret);
  assert.deepEqual([await upload(old.secret), await upload(fresh)], [201, 201]);
  await page.getByRole('button', { name: 'I have saved it' }).click();
  await page.getByText('Ends in').waitFor();
  await dashboard.service.clock.advance(3_700_000);
  assert.deepEqual([await upload(old.secret), await upload(fresh)], [401, 201]);
  await dashboard.service.clock.advance(-3_700_000);
  await finish(page);
});

test('dropped files are uploaded and shown; one that is not an image shows the reason; a deleted one is gone everywhere', async () => {
  const { page, person } = await dashboard.openAs();
  await page.goto('/dashboard/uploads');
  await page.getByText('No uploads yet').waitFor();
  await drop(page.getByRole('heading', { name: 'Uploads', level: 1 }), [
    ['one.png', await png(300, 200)],
    ['two.jpg', await jpeg(200, 300)],
    ['three.svg', svg()],
    ['notes.txt', Buffer.from('not a picture')],
  ]);
  for (const name of ['one.png', 'two.jpg', 'three.svg']) {
    await page.getByRole('button', { name: `Open ${name}` }).waitFor();
  }
  await page.getByText('3 files uploaded, 1 not').waitFor();
  await page.getByText('Not a PNG, JPEG').waitFor();
  await page.getByRole('button', { name: 'Close the list of uploads' }).click();

  await page.getByRole('button', { name: 'Open one.png' }).click();
  await page.getByRole('button', { name: 'Copy markdown' }).click();
  assert.match(await page.evaluate<string>('navigator.clipboard.readText()'), /^\[!\[one\.png\]\(http/);
  await page.getByLabel('Change expiry').selectOption('86400');
  await page.getByText('Expiry changed.').waitFor();
  await judge(page);
  const { body } = await person.call('GET /uploads');
  const one = body.items.find(({ filename }) => filename === 'one.png')!;
  assert.ok(one.expires_at);
  assert.equal(await statusOf(one.file_url), 200);
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('dialog', { name: 'Delete one.png?' }).getByRole('button', { name: 'Delete' }).click();
  await page.getByText('1 upload deleted.').waitFor();
  assert.deepEqual([await statusOf(one.url), await statusOf(one.file_url)], [404, 404]);

  await page.getByLabel('Select two.jpg').check({ force: true });
  await page.getByLabel('Select three.svg').check({ force: true });
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('button', { name: 'Delete 2 uploads' }).click();
  await page.getByText('No uploads yet').waitFor();
  await finish(page);
});

test('search, filters and pages of uploads: the filters are in the URL and survive a reload', async () => {
  const { page, person } = await dashboard.openAs();
  for (let index = 0; index < 64; index += 1) {
    await person.call('POST /uploads', { form: formOf([[await webp(), `picture ${index}.webp`]]) });
  }
  await person.call('POST /uploads', { form: formOf([[await png(), 'needle.png']]) });
  await page.goto('/dashboard/uploads');
  await page.getByText('needle.png').waitFor();
  await page.getByText('picture 63.webp').waitFor();
  await page.getByRole('button', { name: 'Load more' }).scrollIntoViewIfNeeded();
  await page.getByText('picture 0.webp').waitFor();
  assert.equal(await page.getByRole('button', { name: /^Open / }).count(), 65);
  await page.getByLabel('Search by filename').fill('NEEDLE');
  await page.getByText('picture 63.webp').waitFor({ state: 'detached' });
  assert.match(page.url(), /search=NEEDLE/);
  await page.getByLabel('Type').selectOption('svg');
  await page.getByText('No matching uploads').waitFor();
  await page.reload();
  await page.getByText('No matching uploads').waitFor();
  await page.getByRole('button', { name: 'Clear the filters' }).click();
  await page.getByText('picture 63.webp').waitFor();
  assert.equal(await page.getByLabel('Search by filename').inputValue(), '');
  await finish(page);
});

test('the playground takes a screenshot and prints a PDF, and shows headers and the same call as code', async () => {
  const { page } = await dashboard.openAs();
  await page.goto('/dashboard/playground');
  await page.getByLabel('Address').fill(`${dashboard.site.base}/article.html`);
  await page.getByLabel('Width').fill('800');
  await page.getByRole('button', { name: 'Run' }).click();
  const picture = page.getByAltText('The screenshot');
  await picture.waitFor();
  assert.equal(
    await page.evaluate<number>(
      "[...document.images].find(({ alt }) => alt === 'The screenshot').naturalWidth",
    ),
    800,
  );
  await page.getByText('Headers').click();
  await page.getByText('x-service-duration-ms').waitFor();
  assert.match((await page.getByRole('region', { name: 'Code' }).textContent()) ?? '', /"width":800/);

  await page.getByText('PDF', { exact: true }).click();
  await page.getByLabel('Address').fill(`${dashboard.site.base}/print.html`);
  await page.getByText('Python').click();
  await page.getByLabel('Paper').selectOption('a4');
  assert.match((await page.getByRole('region', { name: 'Code' }).textContent()) ?? '', /paper_format="a4"/);
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByRole('region', { name: /PDF, / }).getByText('Page 1 of').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download', (file) => file.suggestedFilename() === 'page.pdf'),
    page.getByRole('link', { name: 'Download' }).click(),
  ]);
  assert.equal((await readFile(await download.path())).subarray(0, 5).toString(), '%PDF-');
  await finish(page);
});

test('the playground renders a document by version 2, shares its picture, and shows another format as text', async () => {
  const { page, person } = await dashboard.openAs();
  await page.addInitScript(`window.types = []; const { createObjectURL } = URL;
    URL.createObjectURL = (blob) => { window.types.push(blob.type); return createObjectURL(blob); };`);
  await page.goto('/dashboard/playground?tab=render');
  await page.getByText('HTML', { exact: true }).click();
  await page
    .getByLabel('HTML document')
    .fill(
      '<title>Invoice 7</title><h1>Invoice</h1><script>document.body.append("made")</script><img src="no.png">',
    );
  await page.locator('summary', { hasText: 'View' }).click();
  await page.getByLabel('Viewport width').fill('640');
  await page.locator('summary', { hasText: 'Access' }).click();
  await page.getByLabel('Base URL').fill(`${dashboard.site.base}/`);
  await page.getByLabel('Headers').fill('X-Token: hidden');
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByAltText('The screenshot').waitFor();
  assert.equal(
    await page.evaluate<number>(
      "[...document.images].find(({ alt }) => alt === 'The screenshot').naturalWidth",
    ),
    640,
  );
  await page.getByText('1 warning').waitFor();
  await page.getByText('request_failed').waitFor();
  await page.waitForURL(/640/);
  assert.doesNotMatch(page.url(), /hidden/, 'a secret stays out of the address');
  assert.match((await page.getByRole('region', { name: 'Code' }).textContent()) ?? '', /api\/v2\/renders/);

  await page.getByRole('button', { name: 'Host and copy link' }).click();
  await page.getByText('Link copied.').waitFor();
  const link = await page.evaluate<string>('navigator.clipboard.readText()');
  assert.equal(await page.getByLabel('Link', { exact: true }).inputValue(), link);
  assert.match(await (await fetch(link, { headers: { accept: 'text/html' } })).text(), /Invoice 7/);
  assert.equal((await person.call('GET /usage')).body.units.render.used, 1, 'hosting costs nothing');
  await judge(page, 'playground-render-done');

  await page.getByLabel('Format', { exact: true }).selectOption('html');
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByRole('region', { name: 'page.html' }).getByText('<h1>Invoice</h1>').waitFor();
  assert.equal(
    await page.getByRole('link', { name: 'Open in a new tab' }).count(),
    0,
    'never shown as a page',
  );
  assert.deepEqual(await page.evaluate<string[]>('window.types'), ['image/png', 'application/octet-stream']);

  await page.goto('/dashboard/renders');
  await page.getByRole('button', { name: /Screenshot/ }).click();
  await page.getByText('request_failed').waitFor();
  await page.getByRole('link', { name: 'Render again' }).click();
  await page.getByRole('heading', { name: 'Playground' }).waitFor();
  assert.equal(await page.getByLabel('HTML document').inputValue(), '', 'a document is not kept');
  await page.locator('summary', { hasText: 'View' }).filter({ hasText: '1 set' }).click();
  assert.equal(await page.getByLabel('Viewport width').inputValue(), '640');
  await finish(page, 'playground-render-again');
});

test('the overage switch and its cap are saved', async () => {
  const { page, person } = await dashboard.openAs({ plan: 'starter' });
  await page.goto('/dashboard/usage');
  const overages = page.getByRole('switch', { name: 'Overages' });
  await overages.click();
  await page.getByLabel('Hard cap').fill('250');
  await page.getByRole('button', { name: 'Save cap' }).click();
  await page.getByText('At most 250 units').waitFor();
  assert.deepEqual((await person.call('GET /usage')).body.overages, {
    available: true,
    enabled: true,
    cap: 250,
  });
  await overages.click();
  await page.getByText('Off: past the quota').waitFor();
  await page.reload();
  await page.getByText('Off: past the quota').waitFor();
  assert.equal((await person.call('GET /usage')).body.overages.enabled, false);
  await finish(page);
});

test('the owner suspends an account: its keys and links stop, and the user sees the reason', async () => {
  const { page: theirs, person } = await dashboard.openAs();
  const { secret } = (await person.call('POST /keys', { body: { name: 'theirs' } })).body;
  const stored = (await person.call('POST /uploads', { form: formOf([[await png(), 'theirs.png']]) })).body;
  assert.deepEqual([await upload(secret), await statusOf(stored.file_url)], [201, 200]);

  const { page } = await dashboard.openAs({ owner: true });
  await page.goto('/dashboard');
  await page.getByRole('link', { name: 'Accounts' }).click();
  await page.getByLabel('Search by e-mail').fill(person.email);
  await page.getByRole('button', { name: person.email }).click();
  await page.getByRole('button', { name: 'Suspend', exact: true }).click();
  await page.getByLabel('Reason').fill('Too many kittens.');
  await page.getByRole('button', { name: 'Suspend the account' }).click();
  await page.getByRole('button', { name: 'Lift the suspension' }).waitFor();
  assert.deepEqual([await upload(secret), await statusOf(stored.file_url)], [401, 404]);
  await theirs.goto('/dashboard/uploads');
  await theirs.getByText('Too many kittens.').waitFor();
  await finish(theirs);

  await page.getByRole('button', { name: 'Lift the suspension' }).click();
  await page.getByRole('button', { name: 'Suspend', exact: true }).waitFor();
  assert.deepEqual([await upload(secret), await statusOf(stored.file_url)], [201, 200]);
  await finish(page);
});

test('settings: change the name, sign out another session, and delete the account with its links', async () => {
  const { page, person } = await dashboard.openAs();
  const stored = (await person.call('POST /uploads', { form: formOf([[await png(), 'last.png']]) })).body;
  const elsewhere = await dashboard.open();
  await elsewhere.goto('/dashboard');
  await elsewhere.getByLabel('E-mail').fill(person.email);
  await elsewhere.getByLabel('Password').fill(password);
  await elsewhere.getByRole('button', { name: 'Sign in' }).click();
  await elsewhere.getByRole('heading', { name: 'Overview' }).waitFor();

  await page.goto('/dashboard/settings');
  await page.getByLabel('Name').fill('Ada');
  await page.getByRole('button', { name: 'Save name' }).click();
  await page.getByText('Name saved.').waitFor();
  await page.getByRole('button', { name: 'Sign out all others' }).click();
  await page.getByText('All other sessions are signed out.').waitFor();
  await elsewhere.reload();
  await elsewhere.getByRole('heading', { name: 'Sign in' }).waitFor();
  await elsewhere.context().close();

  await page.getByRole('button', { name: 'Delete account' }).click();
  await page.getByLabel('Type your e-mail').fill(person.email);
  await page.getByRole('dialog').getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Delete everything' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  assert.equal(await statusOf(stored.file_url), 404);
  await finish(page);
});

test('integrations: a key is made when asked for, and the generated shell function uploads a file', async () => {
  const { page, person } = await dashboard.openAs();
  await page.goto('/dashboard/integrations');
  await page.getByRole('button', { name: 'Set up ShareX' }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  assert.deepEqual((await person.call('GET /keys')).body.items, [], 'reading the steps makes no key');
  await page.getByRole('button', { name: 'Set up ShareX' }).click();
  await page.getByRole('button', { name: 'Create the key' }).click();
  const sharex = (await page.getByRole('region', { name: '.sxcu' }).textContent()) ?? '';
  assert.match(sharex, /api\/v1\/upload/);
  await page.getByText('Uploads only').waitFor();
  await judge(page);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Set up Shell' }).click();
  await page.getByRole('button', { name: 'Create the key' }).click();
  const made = (await page.getByRole('region', { name: 'tintype.sh' }).textContent()) ?? '';
  const { stdout } = await run('sh', ['-c', `${made}\ntintype src/site/pages/assets/plate.svg`]);
  assert.equal(await statusOf(stdout.trim()), 200);
  await finish(page);
});

test('on a phone the menu opens, navigates and closes by keyboard', async () => {
  const { page } = await dashboard.openAs({}, { viewport: { width: 390, height: 844 } });
  await page.goto('/dashboard');
  await page.getByRole('button', { name: 'Menu' }).press('Enter');
  const menu = page.getByRole('dialog', { name: 'Menu' });
  await menu.waitFor();
  await judge(page);
  await page.keyboard.press('Escape');
  await menu.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Menu' }).press('Enter');
  await menu.getByRole('link', { name: 'API keys' }).press('Enter');
  await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
  assert.equal(await page.evaluate<string>('document.activeElement.textContent'), 'API keys');
  await finish(page);
});

for (const javaScriptEnabled of [true, false]) {
  test(`the share page and the delete confirmation work ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async () => {
    const { person } = await dashboard.openAs();
    const stored = (
      await person.call('POST /uploads', { form: formOf([[await png(320, 200), 'shared.png']]) })
    ).body;
    const page = await dashboard.open({ javaScriptEnabled });
    await page.goto(stored.url);
    await page.getByRole('heading', { name: 'shared.png' }).waitFor();
    assert.equal(await page.getByLabel('Direct link').inputValue(), stored.file_url);
    assert.equal(await page.getByRole('button', { name: 'Copy' }).count(), javaScriptEnabled ? 5 : 0);
    await page.goto(stored.delete_url);
    assert.equal(await statusOf(stored.file_url), 200);
    await page.getByRole('button', { name: 'Delete it' }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    assert.equal(await statusOf(stored.file_url), 404);
    assert.deepEqual(page.troubles, []);
    await page.context().close();
  });
}

test('a phone loads a small variant of a large picture, and the picture itself only at full size', async () => {
  const { person } = await dashboard.openAs();
  const noise = { type: 'gaussian', mean: 120, sigma: 60 } as const;
  const picture = sharp({ create: { width: 1_500, height: 1_000, channels: 3, background: 'black', noise } });
  const form = formOf([[await picture.png().toBuffer(), 'large.png']]);
  const stored = (await person.call('POST /uploads', { form })).body;
  const page = await dashboard.open({ viewport: { width: 390, height: 800 } });
  const loaded: string[] = [];
  page.on('requestfinished', (request) => {
    if (request.url().startsWith(stored.file_url)) loaded.push(request.url().slice(stored.file_url.length));
  });
  await page.goto(stored.url);
  await waitFor('the variant', () => loaded.length > 0);
  assert.deepEqual(loaded, ['?width=640']);
  await page.locator('.picture.fitted').click();
  await waitFor('the picture itself', () => loaded.length > 1);
  assert.deepEqual(loaded, ['?width=640', '']);
  assert.equal(await page.locator('.picture.actual').evaluate((image) => image.clientWidth), 1_500);
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});
