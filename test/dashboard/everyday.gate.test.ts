// An ordinary day with the dashboard: long names, an address that is not the configured one, no connection, a tab closed too early.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { png } from '#test/support/images.ts';
import { formOf } from '#test/support/requests.ts';
import { drop, finish, judge, lanName, startDashboard, type Dashboard } from '#test/dashboard/kit.ts';

let dashboard: Dashboard;
let picture: Buffer;
before(async () => {
  dashboard = await startDashboard();
  picture = await png();
});
after(() => dashboard.close());

const longName = `${'a-very-long-name-that-a-design-tool-exported-'.repeat(2)}.png`;
for (const width of [1440, 390])
  test(`a long file name, ${width} px wide: every Copy button is in the tray, and the question before a deletion is whole`, async () => {
    const { page } = await dashboard.openAs({ plan: 'free' }, { viewport: { width, height: 844 } });
    await page.goto('/dashboard/uploads');
    await drop(page.locator('main'), [
      ['short.png', picture],
      [longName, picture],
    ]);
    await page.getByText('2 links copied.').waitFor();
    const tray = page.getByRole('region', { name: 'Your latest uploads' });
    const edge = await tray.boundingBox();
    for (const button of await tray.getByRole('button', { name: /^Copy link of/ }).all()) {
      const box = (await button.boundingBox())!;
      assert.ok(box.x + box.width <= edge!.x + edge!.width, `a button ends at ${box.x + box.width}`);
    }
    await tray.getByRole('button', { name: 'Close' }).click();
    for (const name of ['short.png', longName]) await page.getByLabel(`Select ${name}`).check();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const overhang = await page.evaluate<number>(
      `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('dialog[open]'))`,
    );
    assert.equal(overhang, 0);
    await page.context().close();
  });

test('the tray shows the name that a file was stored under', async () => {
  const { page } = await dashboard.openAs();
  await page.goto('/dashboard/uploads');
  await drop(page.locator('main'), [['before: after?.png', picture]]);
  await page.getByRole('region', { name: 'Your latest uploads' }).getByText('before_ after_.png').waitFor();
  await page.context().close();
});

test('closing a tab while a file is being sent asks first', async () => {
  const { page } = await dashboard.openAs();
  await page.goto('/dashboard/uploads');
  await page.getByRole('heading', { level: 1 }).waitFor();
  const isAsked = () =>
    page.evaluate<boolean>(`!dispatchEvent(new Event('beforeunload', { cancelable: true }))`);
  assert.equal(await isAsked(), false);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/api/dashboard/uploads', async (route) => {
    await held;
    await route.continue();
  });
  await drop(page.locator('main'), [['slow.png', picture]]);
  await page.getByRole('button', { name: 'Cancel slow.png' }).waitFor();
  assert.equal(await isAsked(), true);
  release();
  await page.getByText('Link copied.').waitFor();
  assert.equal(await isAsked(), false);
  await page.context().close();
});

test('a file that is stored while the list is first loaded appears in it', async () => {
  const { page } = await dashboard.openAs();
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await page.route(
    '**/api/dashboard/uploads?*',
    async (route) => {
      const response = await route.fetch();
      await held;
      await route.fulfill({ response });
    },
    { times: 1 },
  );
  const answered = page.waitForResponse('**/api/dashboard/uploads?*');
  await page.goto('/dashboard/uploads');
  await drop(page.locator('main'), [['early.png', picture]]);
  await page.getByText('Link copied.').waitFor();
  release();
  await answered;
  await page.getByLabel('Select early.png').waitFor();
  await page.context().close();
});

test('opened at an address that is not BASE_URL: a notice says where links lead, and what to change', async () => {
  const origin = `http://${lanName}:${new URL(dashboard.service.origin).port}`;
  const { page, person } = await dashboard.openAs();
  await page.goto('/dashboard');
  await page.getByRole('heading', { name: 'Last 30 days' }).waitFor();
  const notice = 'Links lead to another address';
  assert.equal(await page.getByText(notice).count(), 0);
  await page.context().close();
  const elsewhere = await dashboard.open({ as: person, origin });
  await elsewhere.goto('/dashboard');
  await elsewhere.getByText(notice).waitFor();
  await elsewhere.getByText(`BASE_URL=${origin}`).waitFor();
  await elsewhere.context().close();
});

test('without a connection a page says so, and loads when it is back', async () => {
  const { page } = await dashboard.openAs();
  await page.goto('/dashboard/uploads');
  await page.getByRole('heading', { name: 'No uploads yet' }).waitFor();
  await page.context().setOffline(true);
  await page.getByRole('searchbox').fill('harbour');
  await page.getByText('The service did not answer. Check your connection and try again.').waitFor();
  await page.context().setOffline(false);
  await page.getByRole('heading', { name: 'No matching uploads' }).waitFor();
  await page.context().close();
});

test('an address without a scheme is taken as https', async () => {
  const { page } = await dashboard.openAs();
  await page.goto('/dashboard/playground');
  await page.getByLabel('Address').fill('example.com');
  await page.getByText('"https://example.com"').first().waitFor();
  await page.context().close();
});

for (const [width, height] of [
  [1440, 900],
  [390, 844],
] as const)
  test(`the playground, ${width} px wide: Run is in sight from the start, and the answer when it is there`, async () => {
    const { page } = await dashboard.openAs({}, { viewport: { width, height } });
    const url = `${dashboard.site.base}/article.html`;
    await page.goto(`/dashboard/playground?tab=pdf&body=${encodeURIComponent(JSON.stringify({ url }))}`);
    const run = page.getByRole('button', { name: 'Run' });
    const bottom = (box: { y: number; height: number } | null) => box!.y + box!.height;
    await run.waitFor();
    assert.ok(bottom(await run.boundingBox()) <= height);
    const form = page.locator('form');
    await form.getByLabel('Address').focus();
    const isCovered = `(({ activeElement: field }) => {
      const { x, y, width, height } = field.getBoundingClientRect();
      const shown = document.elementFromPoint(x + width / 2, y + height / 2);
      return shown !== field && !field.contains(shown);
    })(document)`;
    for (let left = await form.locator('input, select').count(); left > 1; left -= 1) {
      await page.keyboard.press('Tab');
      assert.equal(
        await page.evaluate<boolean>(isCovered),
        false,
        'the button does not cover a field in use',
      );
    }
    await run.click();
    const answer = page.getByRole('heading', { name: 'Answer' });
    await answer.waitFor();
    assert.ok(bottom(await answer.boundingBox()) <= height);
    await page.context().close();
  });

test('the palette goes to pages and to what it finds; single keys search, go places and list the keys', async () => {
  const { page, person } = await dashboard.openAs();
  await person.call('POST /uploads', { form: formOf([[await png(), 'lighthouse.png']]) });
  const loaded: string[] = [];
  page.on('request', (request) => loaded.push(request.url()));
  await page.goto('/dashboard');
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  assert.deepEqual(
    loaded.filter((url) => /palette/.test(url)),
    [],
    'it is loaded when it is opened',
  );
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Go to' });
  const field = palette.getByRole('combobox');
  await field.fill('up');
  await palette.getByRole('option', { name: /^Uploads/ }).waitFor();
  await judge(page);
  await page.keyboard.press('ArrowDown');
  assert.match(await palette.locator('[aria-selected=true]').innerText(), /^Upload links/);
  await field.fill('lighth');
  await palette.getByRole('option', { name: /^lighthouse\.png/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'lighthouse.png' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('/');
  await page.keyboard.type('ugh');
  assert.equal(await page.getByRole('searchbox').inputValue(), 'ugh', 'in a field keys are text');
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('g');
  await page.keyboard.press('k');
  await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Go to/ }).click();
  await palette.waitFor();
  await page.keyboard.press('Escape');
  await palette.waitFor({ state: 'hidden' });
  await finish(page);
});
