// The request log, usage, files and the playground, in a real browser.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { callsOf } from '#test/support/calls-v2.ts';
import { png, svg } from '#test/support/images.ts';
import { bearer, formOf, post } from '#test/support/requests.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { finish, judge, startDashboard, type Dashboard, type WatchedPage } from '#test/dashboard/kit.ts';

let dashboard: Dashboard;
before(async () => {
  dashboard = await startDashboard({
    PLANS_FILE: new URL('../fixtures/plans.json', import.meta.url).pathname,
  });
});
after(() => dashboard.close());

const upload = async (key: string, bytes: Buffer, name = 'a.png') =>
  post<{ id: string; url: string }>(`${dashboard.service.origin}/api/v1/upload`, {
    headers: bearer(key),
    body: formOf([[bytes, name]]),
  });

const copied = (page: WatchedPage) => page.evaluate<string>('navigator.clipboard.readText()');

test('a row of the request log opens, also by keyboard, to its steps and a link to what it made', async () => {
  const { page, person } = await dashboard.openAs();
  const { secret } = (await person.call('POST /keys', { body: { name: 'camera' } })).body;
  const stored = await upload(secret, await png(), 'made by a request.png');
  const refused = await upload(secret, Buffer.from('no picture'));
  await page.goto('/dashboard/requests');
  const row = page.getByRole('button', { name: /unsupported_type/ });
  const { height } = (await row.boundingBox())!;
  assert.equal(Math.round(height), 40);
  await row.focus();
  await page.keyboard.press('Enter');
  await page.getByText('file: its content is not a').last().waitFor();
  await page.getByRole('button', { name: 'Copy request id' }).click();
  assert.equal(await copied(page), refused.headers.get('x-request-id'));
  assert.match(page.url(), new RegExp(`open=${refused.headers.get('x-request-id')}`));
  await judge(page);

  await page.getByRole('button', { name: /Stored 1 file/ }).click();
  for (const step of ['Receive the files', 'Store', 'Check and answer'])
    await page.getByText(step, { exact: true }).waitFor();
  await page.getByText('camera').last().waitFor();
  await judge(page, 'request-details');
  await page.getByRole('link', { name: `Open upload ${stored.body.id}` }).click();
  await page.getByRole('dialog', { name: 'made by a request.png' }).waitFor();
  await finish(page, 'request-made');
});

test('the request log calls version 2 by its kinds, and leads to what it made; only renders are in their time', async () => {
  const { page, person } = await dashboard.openAs();
  const { secret } = (await person.call('POST /keys', { body: { name: 'camera' } })).body;
  const call = callsOf(dashboard.service.origin, secret);
  const form = formOf([[await png(), 'of version 2.png']]);
  const { id } = (await call<{ id: string }>('POST', '/uploads', { body: form })).body;
  await call('PATCH', `/uploads/${id}`, { body: { title: 'Changed' } });
  const later = { html: '<h1>Later', async: true };
  const queued = (await call<{ id: string }>('POST', '/renders', { body: later })).body;
  await call('GET', `/renders/${queued.id}?wait=30`);
  await page.goto('/dashboard/requests');
  for (const [outcome, count] of [
    ['Stored 1 file', 1],
    ['Changed', 1],
    ['Queued An HTML document', 1],
    ['Answered', 1],
    ['Rendered', 0],
  ] as const) {
    const rows = page.getByRole('button', { name: outcome });
    if (count > 0) await rows.waitFor();
    assert.equal(await rows.count(), count, outcome);
  }
  await judge(page, 'request-kinds');
  await page.getByRole('button', { name: 'Queued An HTML document' }).click();
  await page.getByRole('link', { name: `Open render ${queued.id}` }).waitFor();
  await page.goto('/dashboard/usage');
  const empty = page.locator('section', { hasText: 'Time per render' }).getByText(/^Nothing from/);
  await empty.last().waitFor();
  await page.goto('/dashboard/requests');
  await page.getByRole('button', { name: 'Stored 1 file' }).click();
  await page.getByRole('link', { name: `Open upload ${id}` }).click();
  await page.getByRole('dialog', { name: 'of version 2.png' }).waitFor();
  await finish(page);
});

test('the request log between any two times, in the reader’s zone', async () => {
  const { page, person } = await dashboard.openAs(undefined, { timezoneId: 'Asia/Tokyo' });
  const { secret } = (await person.call('POST /keys', { body: { name: 'camera' } })).body;
  await upload(secret, await png());
  await page.goto('/dashboard/requests');
  await page.getByRole('button', { name: /Stored 1 file/ }).waitFor();
  await page.getByLabel('Time').selectOption('Custom …');
  const inTokyo = (ms: number) => new Date(Date.now() + 9 * 3_600_000 + ms).toISOString().slice(0, 16);
  await page.getByLabel('From').fill(inTokyo(60 * 60_000));
  await page.getByText('No matching requests').waitFor();
  await page.getByLabel('From').fill(inTokyo(-60 * 60_000));
  await page.getByRole('button', { name: /Stored 1 file/ }).waitFor();
  await page.getByLabel('Until').fill(inTokyo(-120 * 60_000));
  await page.getByText('The end is before the start.').waitFor();
  await page.getByRole('button', { name: 'Clear the filters' }).click();
  await page.getByRole('button', { name: /Stored 1 file/ }).waitFor();
  await finish(page, 'request-range');
});

test('the overview starts with the last 30 days; usage shows errors and durations too, for any range', async () => {
  const { page, person } = await dashboard.openAs();
  const { secret } = (await person.call('POST /keys', { body: { name: 'camera' } })).body;
  for (let count = 0; count < 3; count += 1) await upload(secret, await png());
  await upload(secret, Buffer.from('no picture'));
  await page.goto('/dashboard');
  const first = page.getByRole('main').getByRole('heading', { level: 2 });
  await page.getByRole('link', { name: '25% of requests' }).waitFor();
  // First steps come first until they are done.
  assert.deepEqual((await first.allTextContents()).slice(0, 2), ['First steps', 'Last 30 days']);
  await page.getByRole('link', { name: 'Usage in detail' }).click();
  await page.getByRole('heading', { name: 'Requests and errors' }).waitFor();
  const outcomes = page.locator('figure').filter({ hasText: 'Refused (4xx)' });
  assert.match((await outcomes.locator('figcaption').textContent()) ?? '', /Succeeded3.*Refused \(4xx\)1/);
  await outcomes.locator('[data-column]').last().hover();
  await page.getByText('Total4').waitFor();
  await page.getByRole('heading', { name: 'Time per upload' }).waitFor();
  await page.getByText('95th percentile').first().waitFor();

  await page.getByLabel('Days shown').selectOption('Last 365 days');
  await page.getByRole('heading', { name: 'Uploads by week' }).waitFor();
  await page.getByLabel('Days shown').selectOption('Custom …');
  await page.getByLabel('To', { exact: true }).fill('2025-03-31');
  await page.getByLabel('From').fill('2025-03-01');
  await page.getByText('Nothing from Mar 1, 2025 to Mar 31, 2025.').first().waitFor();
  assert.match(page.url(), /from=2025-03-01&to=2025-03-31/);
  await page.reload();
  await page.getByText('Nothing from Mar 1, 2025 to Mar 31, 2025.').first().waitFor();
  await finish(page, 'usage-range');
});

test('every page shows that the quota is used up, and what to do next', async () => {
  const { page, person } = await dashboard.openAs({ plan: 'two-uploads' });
  for (const name of ['a.png', 'b.png'])
    await person.call('POST /uploads', { form: formOf([[await png(), name]]) });
  await page.goto('/dashboard/keys');
  const banner = page.getByRole('region', { name: 'This month’s uploads are used up' });
  await banner.getByText('All 2 are used').waitFor();
  await banner.getByRole('link', { name: 'Turn on overages' }).click();
  await page.getByRole('switch', { name: 'Overages' }).click();
  await banner.waitFor({ state: 'detached' });
  await finish(page, 'quota-used-up');
});

test('uploads: order, totals, and actions on several: copy links, change expiry, download a zip, delete', async () => {
  const { page, person } = await dashboard.openAs();
  const files: [string, Buffer][] = [
    ['small.svg', svg()],
    ['large.png', Buffer.concat([await png(40, 40), Buffer.alloc(5_000)])],
    ['same.png', await png()],
    ['same.png', await png(20, 20)],
  ];
  for (const [name, bytes] of files) await person.call('POST /uploads', { form: formOf([[bytes, name]]) });
  await page.goto('/dashboard/uploads');
  await page.getByText(/^4 uploads · /).waitFor();
  const shown = async () =>
    Promise.all(
      (await page.getByRole('button', { name: /^Open / }).all()).map((tile) =>
        tile.getAttribute('aria-label'),
      ),
    );
  await waitFor('four tiles', async () => (await shown()).length === 4);
  await page.getByLabel('Order').selectOption('Largest first');
  await waitFor('the largest first', async () => (await shown())[0] === 'Open large.png');
  await page.getByLabel('Order').selectOption('By name');
  await waitFor(
    'by name',
    async () => (await shown()).join() === 'Open large.png,Open same.png,Open same.png,Open small.svg',
  );
  await page.reload();
  await waitFor('the same order after a reload', async () => (await shown())[3] === 'Open small.svg');

  for (const [index, tile] of (await page.getByRole('checkbox', { name: /Select/ }).all()).entries())
    if (index > 0) await tile.check();
  const bar = page.getByRole('region', { name: 'Selected uploads' });
  await bar.getByText('3 uploads selected').waitFor();
  await bar.getByRole('button', { name: /Copy links|Copy 3 links/ }).click();
  assert.equal((await copied(page)).split('\n').length, 3);
  await bar.getByLabel('Change expiry').selectOption('Expire in 7 days');
  await page.getByText('Expiry of 3 uploads changed.').first().waitFor();
  const left = (await person.call('GET /uploads')).body.items.filter(({ expires_at }) => expires_at !== null);
  assert.equal(left.length, 3);

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    bar.getByRole('link', { name: 'Download zip' }).click(),
  ]);
  const archive = await readFile(await download.path());
  assert.match(download.suggestedFilename(), /^tintype-\d{4}-\d{2}-\d{2}\.zip$/);
  for (const name of ['same.png', 'same (2).png', 'small.svg']) assert.ok(archive.includes(name), name);
  await judge(page, 'several-selected');

  await bar.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete 3 uploads' }).click();
  await page.getByText(/^1 upload · /).waitFor();
  await finish(page, 'several');
});

test('previous and next upload by button and by arrow key, also past the loaded part of the list', async () => {
  const { page, person } = await dashboard.openAs();
  const picture = await png();
  for (let batch = 0; batch < 7; batch += 1)
    await Promise.all(
      Array.from({ length: 9 }, (_, index) =>
        person.call('POST /uploads', { form: formOf([[picture, `${batch}-${index}.png`]]) }),
      ),
    );
  const first = (await person.call('GET /uploads', { query: { limit: '200' } })).body.items;
  assert.equal(first.length, 63);
  const named = (index: number) => page.getByRole('dialog', { name: first[index]!.filename });
  await page.goto(`/dashboard/uploads?open=${first[58]!.id}`);
  await named(58).waitFor();
  await page.getByRole('button', { name: 'Next' }).click();
  await named(59).waitFor();
  // By then the next page of the list has loaded.
  await page.getByRole('button', { name: 'Next', disabled: false }).waitFor();
  await page.keyboard.press('ArrowRight');
  await named(60).waitFor();
  await page.keyboard.press('ArrowLeft');
  await named(59).waitFor();
  await page.getByRole('button', { name: 'Previous' }).click();
  await named(58).waitFor();
  await finish(page, 'next-upload');
});

test('a tiny picture is shown at its size; a render shows its picture and can be repeated with the same options', async () => {
  const { page, person } = await dashboard.openAs();
  await person.call('POST /uploads', { form: formOf([[await png(32, 3), 'line.png']]) });
  await page.goto('/dashboard/uploads');
  await page.getByRole('button', { name: 'Open line.png' }).waitFor();
  assert.equal(
    await page.evaluate<string>(
      `getComputedStyle(document.querySelector('[aria-label="Open line.png"] img')).objectFit`,
    ),
    'scale-down',
  );
  await person.call('POST /playground/screenshot', {
    body: { url: `${dashboard.site.base}/article.html`, width: 800, response: 'json' },
  });
  await page.goto('/dashboard/renders');
  const row = page.getByRole('button', { name: /article/ });
  await waitFor('the thumbnail', () =>
    row.locator('img').evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth > 0),
  );
  await row.click();
  await page.waitForURL(/open=/);
  await page.reload();
  await page.getByRole('link', { name: 'Render again' }).click();
  await page.getByRole('heading', { name: 'Playground' }).waitFor();
  assert.equal(await page.getByLabel('Width').inputValue(), '800');
  assert.equal(await page.getByLabel('Response').inputValue(), 'json');
  await page.goto('/dashboard/renders?open=gone');
  await page.getByText('This render no longer exists.').first().waitFor();
  page.troubles.splice(0);
  await finish(page, 'render-again');
});

test('the playground: presets, a timer, cancelling, and the call for tt', async () => {
  const { page, person } = await dashboard.openAs();
  await page.goto('/dashboard/playground');
  await page.getByRole('button', { name: /Social card/ }).click();
  await page.waitForURL(/1200/);
  assert.equal(await page.getByLabel('Height').inputValue(), '630');
  assert.equal(await page.getByRole('button', { name: /Social card/ }).getAttribute('aria-pressed'), 'true');
  const code = page.getByRole('region', { name: 'Code' });
  await page.locator('label', { hasText: /^tt$/ }).click();
  await code.getByText('tt screenshot https://example.com --width 1200 --height 630 -o page.png').waitFor();

  const { promise: asked, resolve: wasAsked } = Promise.withResolvers<void>();
  const silent = dashboard.site.route('/silent', () => wasAsked());
  await page.getByLabel('Address').fill(silent);
  await page.getByRole('button', { name: 'Run' }).click();
  await asked;
  await page.getByText(/^\d+\.\d s$/).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('heading', { name: 'Cancelled' }).waitFor();
  assert.equal((await person.call('GET /usage')).body.units.render.used, 0);
  await finish(page, 'cancelled');
});
