// What pages say is true and what they offer works. Each of these was once wrong or misleading.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { png, svg } from '#test/support/images.ts';
import { bearer, formOf, post } from '#test/support/requests.ts';
import { signedInVisitor, type Visitor } from '#test/support/visitor.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { drop, startDashboard, type Dashboard, type WatchedPage } from '#test/dashboard/kit.ts';

const run = promisify(execFile);

let dashboard: Dashboard;
/** One account in one tab, because most of these tests only read. */
let person: Awaited<ReturnType<typeof signedInVisitor>>;
let page: WatchedPage;
before(async () => {
  dashboard = await startDashboard({ SIGNUPS: 'open' });
  person = await signedInVisitor(dashboard.service);
  page = await dashboard.open({ as: person });
});
after(() => dashboard.close());

const uploadAs = async (who: Visitor, name: string, fields: Record<string, string> = {}) =>
  (await who.call('POST /uploads', { form: formOf([[await png(), name]], fields) })).body;

const textOf = async (part: string): Promise<string> => (await page.locator(part).textContent()) ?? '';

test('a used or invalid one-time link shows an error', async () => {
  const stranger = await dashboard.open();
  for (const path of ['/welcome?token=made-up', '/reset-password?token=made-up']) {
    await stranger.goto(path);
    await stranger.getByRole('heading', { name: 'This link does not work' }).waitFor();
    const text = (await stranger.locator('main').textContent()) ?? '';
    assert.match(text, /expired or was used before/, path);
    assert.doesNotMatch(text, /body:|token:/, path);
  }
  assert.equal(await stranger.getByRole('link', { name: 'Get a new link' }).count(), 1);
  await stranger.context().close();
});

test('an expiry in a year shows its year; one in a day reads “in 1 day”, also on the share page', async () => {
  const { id, url } = await uploadAs(person, 'year.png');
  await page.goto(`/dashboard/uploads?open=${id}`);
  const dialog = page.getByRole('dialog', { name: 'year.png' });
  await dialog.getByLabel('Change expiry').selectOption('31536000');
  await dialog.getByText(String(new Date().getFullYear() + 1)).waitFor();
  await dialog.getByLabel('Change expiry').selectOption('86400');
  await dialog.getByText(String(new Date().getFullYear() + 1)).waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await page.getByText('Expires in 1 day').waitFor();
  assert.match(await (await fetch(url)).text(), /\(in 1 day\)/);
  const soon = await uploadAs(person, 'soon.png', { expires_in: '60' });
  assert.match(await (await fetch(soon.url)).text(), /\(in 1 minute\)/);
  await dashboard.service.clock.advance(20_000);
  assert.match(await (await fetch(soon.url)).text(), /\(in less than a minute\)/);
  await dashboard.service.clock.advance(-20_000);
});

test('a deleted upload is gone from its share page at once, even if the page was open before', async () => {
  const { id, url } = await uploadAs(person, 'visited.png');
  const visitor = await dashboard.open();
  await visitor.goto(url);
  await visitor.getByRole('heading', { name: 'visited.png' }).waitFor();
  await person.call('DELETE /uploads/:id', { id });
  await visitor.goto(url);
  await visitor.getByRole('heading', { name: 'Nothing here' }).waitFor();
  await visitor.context().close();
});

test('the share page shows times in the visitor’s zone, and sizes as in the dashboard', async () => {
  const { body } = await person.call('POST /uploads', { form: formOf([[svg(), 'small.svg']]) });
  const visitor = await dashboard.open({ timezoneId: 'Asia/Tokyo', locale: 'en-GB' });
  await visitor.goto(body.url);
  const shown = visitor.locator('time').first();
  const hour = new Intl.DateTimeFormat('en-GB', { timeZone: 'Asia/Tokyo', timeStyle: 'short' });
  const at = await shown.getAttribute('datetime');
  assert.match((await shown.textContent()) ?? '', new RegExp(hour.format(new Date(at ?? ''))));
  await visitor.getByText(`${body.size_bytes} B`, { exact: true }).waitFor();
  // Chat apps do not show SVGs.
  const preview = await visitor.locator('meta[property="og:image"]').getAttribute('content');
  assert.equal(preview, `${body.file_url}/preview.png`);
  await visitor.context().close();
});

test('a chart has round numbers, and a key has the same colour in every chart', async () => {
  const owner = await signedInVisitor(dashboard.service);
  const keys = new Map<string, string>();
  for (const name of ['first key', 'second key']) {
    keys.set(name, (await owner.call('POST /keys', { body: { name } })).body.secret);
  }
  const use = async (name: string, uploads: number) => {
    const picture = await png();
    for (let count = 0; count < uploads; count += 1) {
      await post(`${dashboard.service.origin}/api/v1/upload`, {
        headers: bearer(keys.get(name)!),
        body: formOf([[picture, 'a.png']]),
      });
    }
  };
  await use('first key', 6);
  await use('second key', 1);
  const rendered = await fetch(`${dashboard.service.origin}/api/v1/screenshot`, {
    method: 'POST',
    headers: { ...bearer(keys.get('second key')!), 'content-type': 'application/json' },
    body: JSON.stringify({ url: `${dashboard.site.base}/article.html` }),
  });
  assert.equal(rendered.status, 200);
  const tab = await dashboard.open({ as: owner });
  await tab.goto('/dashboard/usage');
  await tab.getByText('second key').first().waitFor();
  const colors = await tab.evaluate<string[]>(
    `[...document.querySelectorAll('figcaption > span')].filter((entry) => entry.textContent.startsWith('second key')).map((entry) => getComputedStyle(entry.firstChild).backgroundColor)`,
  );
  assert.equal(colors.length, 2);
  assert.equal(colors[0], colors[1]);
  const ticks = await tab.locator('figure').first().locator('.w-max > span.absolute').allTextContents();
  assert.deepEqual(ticks, ['0', '2', '4', '6', '8']);
  // The tooltip shows the values by key.
  await tab.locator('figure').first().locator('[data-column]').last().hover();
  await tab.getByText('Total7').waitFor();
  await tab.context().close();
});

test('the playground keeps the values of its form, and shows an error in full', async () => {
  await page.goto('/dashboard/playground');
  await page.getByLabel('Address').fill('http://localhost/secret');
  await page.waitForURL(/localhost/);
  await page.getByText('PDF', { exact: true }).click();
  assert.equal(await page.getByLabel('Address').inputValue(), 'http://localhost/secret');
  await page.reload();
  assert.equal(await page.getByLabel('Address').inputValue(), 'http://localhost/secret');
  const select = page.getByLabel('Wait until');
  assert.ok((await select.boundingBox())!.width > 200, 'room for its longest word');
  await page.getByRole('button', { name: 'Run' }).click();
  const answer = page.getByRole('region', { name: 'Answer' });
  await answer.getByText('validation_error').waitFor();
  assert.equal(await answer.evaluate((block) => block.scrollWidth - block.clientWidth), 0);
});

test('a URL opens an upload that the list has not loaded', async () => {
  const many = await signedInVisitor(dashboard.service);
  const first = await uploadAs(many, 'first of many.png');
  const picture = await png();
  for (let index = 0; index < 61; index += 1)
    await many.call('POST /uploads', { form: formOf([[picture, `${index}.png`]]) });
  const tab = await dashboard.open({ as: many });
  await tab.goto(`/dashboard/uploads?open=${first.id}`);
  await tab.getByRole('dialog', { name: 'first of many.png' }).waitFor();
  await tab.goto('/dashboard/uploads?open=nothing');
  await tab.getByText('This upload no longer exists.').waitFor();
  // A range, and everything that matches, loaded or not.
  await tab.getByLabel('Select 60.png').check({ force: true });
  await tab.getByLabel('Select 57.png').click({ modifiers: ['Shift'], force: true });
  await tab.getByText('4 uploads selected').waitFor();
  await tab.getByRole('button', { name: 'Select all that match' }).click();
  await tab.getByText('62 uploads selected').waitFor();
  await tab.context().close();
});

test('files that cannot succeed are not sent; failures come first; a drop outside the page does not leave the dashboard', async () => {
  const fresh = await dashboard.openAs();
  const { page: tab } = fresh;
  await tab.goto('/dashboard');
  await tab.getByRole('heading', { name: 'Overview' }).waitFor();
  let sent = 0;
  tab.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/uploads')) sent += 1;
  });
  const picture = await png();
  // Over the sidebar, on a page other than the uploads.
  await drop(tab.getByRole('link', { name: 'API keys' }), [
    ['a.png', picture],
    ['b.png', picture],
    ['notes.txt', Buffer.from('no picture')],
    ['huge.png', Buffer.concat([picture, Buffer.alloc(10 * 1024 * 1024)])],
  ]);
  // First, because a message goes after a few seconds.
  await tab.getByText('2 links copied.').waitFor();
  const tray = tab.getByRole('region', { name: 'Your latest uploads' });
  await tray.getByText('2 files uploaded, 2 not').waitFor();
  assert.equal(sent, 2);
  const rows = await tray.getByRole('listitem').allTextContents();
  assert.match(rows[0]!, /notes\.txt.*Not a PNG/);
  assert.match(rows[1]!, /huge\.png.*Larger than 10 MB/);
  assert.match(rows[2]!, /a\.png.*\/i\//);
  assert.equal(await tray.getByRole('button', { name: /again/ }).count(), 0);
  const { body } = await fresh.person.call('GET /uploads');
  const urlOf = (name: string) => body.items.find(({ filename }) => filename === name)?.url;
  const both = `${urlOf('a.png')}\n${urlOf('b.png')}`;
  const copied = () => tab.evaluate<string>('navigator.clipboard.readText()');
  assert.equal(await copied(), both);
  await tab.evaluate("navigator.clipboard.writeText('')");
  await tray.getByRole('button', { name: 'Copy all' }).click();
  await waitFor('both links', async () => (await copied()) === both);
  // The next file is a batch of one.
  await drop(tab.getByRole('heading', { name: 'Overview' }), [['c.png', picture]]);
  await tab.getByText('Link copied.').waitFor();
  assert.equal(
    await copied(),
    (await fresh.person.call('GET /uploads')).body.items.find(({ filename }) => filename === 'c.png')?.url,
  );
  // Change the expiry of all of them after the upload.
  await tray.getByLabel('Expiry of new uploads').selectOption('3600');
  await tab.getByText('Expiry changed.').waitFor();
  const { body: changed } = await fresh.person.call('GET /uploads');
  assert.ok(changed.items.every(({ expires_at }) => expires_at !== null));
  await tab.context().close();
});

test('an unverified account is offered nothing that signs in or acts, and reads why', async () => {
  const { page: tab } = await dashboard.openAs({ verified: false });
  const why = tab.getByText(
    'Verify your e-mail address first. Until then anyone could have made this account.',
  );
  await tab.goto('/dashboard/settings');
  await why.nth(1).waitFor();
  for (const name of ['Turn on', 'Add a passkey'])
    assert.equal(await tab.getByRole('button', { name }).count(), 0, name);
  for (const [path, name] of [
    ['/dashboard/keys', 'Create a key'],
    ['/dashboard/integrations', 'Set up ShareX'],
    ['/dashboard', 'Create a key'],
  ] as const) {
    await tab.goto(path);
    await tab.getByRole('button', { name }).waitFor();
    assert.ok(await tab.getByRole('button', { name }).isDisabled(), path);
  }
  await tab.context().close();
});

test('an arrow key does not change a plan, and owners cannot lock themselves out', async () => {
  const { page: tab, person: owner } = await dashboard.openAs({ owner: true });
  const customer = await signedInVisitor(dashboard.service, { plan: 'starter' });
  await tab.goto(`/dashboard/admin/accounts?search=${customer.email}`);
  await tab.getByRole('button', { name: customer.email }).click();
  const planOf = async () =>
    (await owner.call('GET /admin/accounts', { query: { search: customer.email } })).body.items[0]!;
  await tab.getByLabel('Plan').focus();
  await tab.keyboard.press('ArrowDown');
  await tab.getByRole('switch', { name: 'Verified' }).click();
  await tab
    .getByRole('dialog', { name: 'Remove verification' })
    .getByRole('button', { name: 'Cancel' })
    .click();
  assert.deepEqual([(await planOf()).plan, (await planOf()).verified], ['starter', true]);
  await tab.getByRole('button', { name: 'Change plan' }).click();
  await tab.getByText('Saved. It applies').waitFor();
  assert.equal((await planOf()).plan, 'pro');
  await tab.goto(`/dashboard/admin/accounts?search=${owner.email}`);
  await tab.getByRole('button', { name: owner.email }).click();
  await tab.getByRole('switch', { name: 'Verified' }).waitFor();
  assert.ok(await tab.getByRole('switch', { name: 'Verified' }).isDisabled());
  const self = await owner.call('PATCH /admin/accounts/:id', {
    id: owner.accountId,
    body: { verified: false },
  });
  assert.equal(self.status, 422);
  await tab.goto('/dashboard/admin/health');
  await tab.getByText('The service has been running on this machine for').waitFor();
  await tab.getByText('OK', { exact: true }).first().waitFor();
  await tab.context().close();
});

test('the request budget of this minute counts down without a reload', async () => {
  await page.goto('/dashboard');
  await uploadAs(person, 'counted.png');
  const line = page.getByText(/refills in \d+ s/);
  await line.waitFor();
  const seconds = /refills in \d+ s/.exec((await line.textContent()) ?? '')?.[0] ?? '';
  await page.getByText(seconds).waitFor({ state: 'detached' });
});

test('a form’s error is at its field, in plain words', async () => {
  await page.goto('/dashboard/settings');
  const section = page
    .getByRole('heading', { name: 'Password', exact: true })
    .locator('xpath=ancestor::section');
  const field = section.getByLabel('Current password');
  await field.fill('wrong wrong wrong');
  await section.getByLabel('New password').fill('another good one');
  await section.getByRole('button', { name: 'Change password' }).click();
  await section.getByText('Is not right.').waitFor();
  assert.equal(await field.getAttribute('aria-invalid'), 'true');
  assert.doesNotMatch(await textOf('main'), /current_password/);
});

test('the shell function prints the service’s error message and fails', async () => {
  const { body } = await person.call('POST /integrations', { body: { tool: 'shell' } });
  await person.call('POST /keys/:id/revoke', { id: body.key.id });
  await assert.rejects(run('sh', ['-c', `${body.content}\ntintype docs/sample.png`]), (error) => {
    const { code, stderr } = error as { code: number; stderr: string };
    assert.equal(code, 1);
    assert.match(stderr, /^tintype: .*key/i);
    return true;
  });
});

test('first steps can be hidden, and a new e-mail address is shown until it is confirmed', async () => {
  const { page: tab } = await dashboard.openAs();
  await tab.goto('/dashboard');
  await tab.getByRole('heading', { name: 'First steps' }).waitFor();
  await tab.getByRole('button', { name: 'Hide' }).click();
  await tab.reload();
  await tab.getByRole('heading', { name: 'Recent uploads' }).waitFor();
  assert.equal(await tab.getByRole('heading', { name: 'First steps' }).count(), 0);
  await tab.goto('/dashboard/settings');
  await tab.getByLabel('New e-mail').fill('ann2@example.com');
  await tab.getByLabel('Current password').first().fill('correct horse battery');
  await tab.getByRole('button', { name: 'Change e-mail' }).click();
  await tab.getByText('Waiting for ann2@example.com to be confirmed.').waitFor();
  await tab.reload();
  await tab.getByText('Waiting for ann2@example.com to be confirmed.').waitFor();
  await tab.context().close();
});

test('a dialog dims the whole window, including the gutter of the scroll bar', async () => {
  await page.goto('/dashboard/keys');
  await page.getByRole('heading', { name: 'API keys' }).waitFor();
  const background = () =>
    page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
  const bright = await background();
  await page.getByRole('button', { name: 'Create a key' }).click();
  assert.notEqual(await background(), bright);
  await page.keyboard.press('Escape');
});

test('a page before sign-in loads without console errors', async () => {
  const stranger = await dashboard.open();
  await stranger.goto('/dashboard/sign-in');
  await stranger.getByRole('heading', { name: 'Sign in' }).waitFor();
  assert.deepEqual(stranger.troubles, []);
  await stranger.context().close();
});

test('the files of one batch keep their order in the list', async () => {
  const batcher = await signedInVisitor(dashboard.service);
  const { secret } = (await batcher.call('POST /keys', { body: { name: 'batch' } })).body;
  const picture = await png();
  const names = Array.from({ length: 10 }, (_, index) => `${index}.png`);
  await post(`${dashboard.service.origin}/api/v1/upload/batch`, {
    headers: bearer(secret),
    body: formOf(names.map((name) => [picture, name])),
  });
  const { body } = await batcher.call('GET /uploads');
  assert.deepEqual(
    body.items.map(({ filename }) => filename),
    names.toReversed(),
  );
});

test('the request log says why a request failed, and finds it by its id', async () => {
  const { secret } = (await person.call('POST /keys', { body: { name: 'asks' } })).body;
  const refused = await fetch(`${dashboard.service.origin}/api/v1/screenshot`, {
    method: 'POST',
    headers: { ...bearer(secret), 'content-type': 'application/json' },
    body: JSON.stringify({ url: `${dashboard.site.base}/article.html`, widht: 800 }),
  });
  assert.equal(refused.status, 422);
  await page.goto('/dashboard/requests');
  await page.getByText(/validation_error: .*widht/).waitFor();
  await page.getByLabel('Search by request id').fill('not an id');
  await page.getByText('No matching requests').waitFor();
  await page.getByLabel('Search by request id').fill(refused.headers.get('x-request-id') ?? '');
  await page.getByText(/validation_error: .*widht/).waitFor();
});

test('long values are not cut in their select, and names of fields in /docs are in one piece', async () => {
  await page.goto('/dashboard/playground?tab=pdf');
  const select = page.getByLabel('Wait until');
  for (const value of ['networkidle0', 'domcontentloaded']) {
    await select.selectOption(value);
    const { text, room } = await page.evaluate<{ text: number; room: number }>(`(() => {
      const element = document.querySelector('select[name="wait_until"]');
      const { font, paddingLeft, paddingRight } = getComputedStyle(element);
      const context = document.createElement('canvas').getContext('2d');
      context.font = font;
      return {
        text: context.measureText(element.value).width,
        room: element.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight),
      };
    })()`);
    assert.ok(text <= room, `${value} needs ${text} px and has ${room}`);
  }
  for (const width of [390, 1440]) {
    const docs = await dashboard.open({ viewport: { width, height: 900 } });
    await docs.goto('/docs');
    const names = docs.locator('td:first-child > code');
    const pieces = await names.evaluateAll((all) => all.map((name) => name.getClientRects().length));
    assert.ok(pieces.length > 20, `${pieces.length} fields`);
    assert.deepEqual(new Set(pieces), new Set([1]), `${width} px`);
    await docs.context().close();
  }
});

test('the cards of the overview fill their rows on a tablet', async () => {
  const tablet = await dashboard.open({ as: person, viewport: { width: 820, height: 1180 } });
  await tablet.goto('/dashboard');
  const meters = tablet.getByRole('meter', { name: /this month$/ });
  await meters.first().waitFor();
  const tops = await meters.evaluateAll((all) => all.map((meter) => meter.getBoundingClientRect().top));
  assert.equal(tops.length % 2, 0);
  assert.equal(new Set(tops).size, tops.length / 2);
  await tablet.context().close();
});
