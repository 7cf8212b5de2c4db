// How many clicks it takes from the opened dashboard to a link in the clipboard.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { png } from '#test/support/images.ts';
import { drop, startDashboard, type Dashboard, type WatchedPage } from '#test/dashboard/kit.ts';

let dashboard: Dashboard;
let picture: Buffer;
before(async () => {
  dashboard = await startDashboard();
  picture = await png();
});
after(() => dashboard.close());

/** The number of clicks in the page until a link that works was copied. */
async function clicksUntilCopied(path: string, give: (page: WatchedPage) => Promise<void>): Promise<number> {
  const { page } = await dashboard.openAs();
  await page.addInitScript(
    `window.clicks = 0; addEventListener('click', ({ isTrusted }) => { window.clicks += isTrusted ? 1 : 0; }, true);`,
  );
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await give(page);
  await page.getByText('Link copied.').waitFor();
  const link = await page.evaluate<string>('navigator.clipboard.readText()');
  assert.equal((await fetch(link)).status, 200);
  const clicks = await page.evaluate<number>('window.clicks');
  assert.deepEqual(page.troubles, []);
  await page.context().close();
  return clicks;
}

test('with the button on the first page: one click, then the file in the system’s dialog', async () => {
  const clicks = await clicksUntilCopied('/dashboard', async (page) => {
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Upload', exact: true }).click(),
    ]);
    await chooser.setFiles({ name: 'chosen.png', mimeType: 'image/png', buffer: picture });
  });
  assert.equal(clicks, 1);
});

test('from the playground to a shared screenshot: run it, host it', async () => {
  const clicks = await clicksUntilCopied('/dashboard/playground', async (page) => {
    await page.getByLabel('Address').fill(`${dashboard.site.base}/article.html`);
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('button', { name: 'Host and copy link' }).click();
  });
  assert.equal(clicks, 2);
});

for (const path of ['/dashboard', '/dashboard/keys']) {
  test(`dropped or pasted on ${path}: no click`, async () => {
    assert.equal(
      await clicksUntilCopied(path, (page) => drop(page.locator('main'), [['a.png', picture]])),
      0,
    );
    const paste = (page: WatchedPage) =>
      page.evaluate<void>(`(() => {
        const clipboardData = new DataTransfer();
        const bytes = Uint8Array.from(atob('${picture.toString('base64')}'), (character) => character.charCodeAt(0));
        clipboardData.items.add(new File([bytes], 'image.png', { type: 'image/png' }));
        document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
      })()`);
    assert.equal(await clicksUntilCopied(path, paste), 0);
  });
}

test('the first step is a button that uploads, and an upload in the dashboard ticks it off', async () => {
  const { page } = await dashboard.openAs({ plan: 'free' });
  await page.goto('/dashboard');
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose a picture' }).click(),
  ]);
  await chooser.setFiles({ name: 'first.png', mimeType: 'image/png', buffer: picture });
  await page.getByText('Upload your first picture (done)').waitFor();
  await page.context().close();
});
