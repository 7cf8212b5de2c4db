// The page of an album and the drop page of an upload link in a real browser: keyboard, viewer, phone, what is loaded, and files that are
// dropped, chosen and refused. Spec 10.12, 10.13.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import type { Album, UploadLink } from '#api/v2/album-schemas.ts';
import type { Upload } from '#api/v2/upload-schemas.ts';
import { callsOf, type Call, type List } from '#test/support/calls-v2.ts';
import { png } from '#test/support/images.ts';
import { formOf } from '#test/support/requests.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { finish, startDashboard, violations, type Dashboard, type WatchedPage } from './kit.ts';

let dashboard: Dashboard;
let call: Call;
before(async () => {
  dashboard = await startDashboard();
  call = callsOf(dashboard.service.origin, (await dashboard.service.newKey()).key);
});
after(() => dashboard.close());

/** Does not compress, as photos do not. */
const photo = (width: number, height: number): Promise<Buffer> =>
  sharp(randomBytes(width * height * 3), { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 95 })
    .toBuffer();

async function newAlbum(files: [Buffer, string][]): Promise<Album> {
  const { body: album } = await call<Album>('POST', '/albums', {
    body: { title: 'At the sea', description: 'A week in May.', expires_in: 86_400 },
  });
  for (const file of files) {
    const { status } = await call('POST', '/uploads', { body: formOf([file], { album: album.id }) });
    assert.equal(status, 201);
  }
  return album;
}

const path = ({ url }: { url: string | null }): string => new URL(url!).pathname;
const focused = (page: WatchedPage): Promise<number> =>
  page.evaluate<number>("[...document.querySelectorAll('.tile')].indexOf(document.activeElement)");

test('an album by keyboard: arrows move, Enter opens, arrows turn over, Escape closes where one was', async () => {
  const files = await Promise.all(
    Array.from({ length: 7 }, async (_, index): Promise<[Buffer, string]> => [
      await png(60 + index, 40),
      `${index}.png`,
    ]),
  );
  const album = await newAlbum(files);
  const page = await dashboard.open();
  await page.goto(path(album));
  assert.deepEqual(await violations(page), []);
  await page.keyboard.press('ArrowRight');
  assert.equal(await focused(page), 0);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  assert.equal(await focused(page), 2);
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowRight');
  assert.equal(await focused(page), 6);
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowDown');
  assert.ok((await focused(page)) > 2, 'a row down');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  const viewer = page.getByRole('dialog');
  await viewer.waitFor();
  assert.match(await viewer.innerText(), /0\.png 1 of 7/);
  assert.equal(await viewer.getByRole('button', { name: 'Previous picture' }).isDisabled(), true);
  await page.keyboard.press('ArrowRight');
  assert.match(await viewer.innerText(), /1\.png 2 of 7/);
  assert.equal(await viewer.getByRole('img').getAttribute('alt'), '1.png');
  assert.deepEqual(await violations(page), []);
  await page.keyboard.press('Escape');
  await viewer.waitFor({ state: 'hidden' });
  assert.equal(await focused(page), 1);
  await page.keyboard.press('Enter');
  await viewer.getByRole('link', { name: 'Details' }).click();
  await page.getByRole('heading', { name: '1.png' }).waitFor();
  await finish(page);
});

test('a phone loads thumbnails, and in the viewer a picture of its own size, not the file', async () => {
  const bytes = await photo(2400, 1600);
  assert.ok(bytes.length > 2_000_000);
  const album = await newAlbum([[bytes, 'large.jpg'], [await png(300, 200), 'small.png']]); // prettier-ignore
  const page = await dashboard.open({
    viewport: { width: 390, height: 844 },
    deviceScaleFactor: 2,
    isMobile: true,
    hasTouch: true,
  });
  const loaded: { url: string; sizeBytes: number }[] = [];
  page.on('response', async (response) => {
    if (!response.url().includes('/f/')) return;
    const sizeBytes = (await response.body().catch(() => Buffer.alloc(0))).length;
    loaded.push({ url: response.url(), sizeBytes });
  });
  await page.goto(path(album));
  await waitFor('both thumbnails', () => loaded.length === 2);
  assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
  assert.deepEqual(await violations(page), []);
  await page.locator('.tile').first().tap();
  await waitFor('the picture', () => loaded.length === 3);
  assert.match(loaded[2]!.url, /\?width=1280$/);
  await waitFor('its bytes', () => loaded[2]!.sizeBytes > 0);
  for (const { url, sizeBytes } of loaded) assert.ok(sizeBytes < bytes.length / 2, `${url} ${sizeBytes}`);
  assert.match(await page.getByRole('dialog').innerText(), /large\.jpg 1 of 2/);
  await page.getByRole('button', { name: 'Close' }).tap();
  await finish(page);
});

test('without script an album is links, and the archive is one of them', async () => {
  const album = await newAlbum([[await png(), 'a.png']]);
  const page = await dashboard.open({ javaScriptEnabled: false });
  await page.goto(path(album));
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download all' }).click(),
  ]);
  assert.equal(download.suggestedFilename(), 'At the sea.zip');
  await page.locator('.tile').click();
  await page.getByRole('heading', { name: 'a.png' }).waitFor();
  await page.context().close();
});

test('files are dropped and chosen on the page of an upload link; what is refused says why', async () => {
  const { body: album } = await call<Album>('POST', '/albums', { body: {} });
  const { body: link } = await call<UploadLink>('POST', '/upload_links', {
    body: { max_files: 3, max_bytes: 100_000, album: album.id, title: 'Pictures of the day' },
  });
  const page = await dashboard.open();
  await page.goto(path(link));
  await page.getByRole('heading', { name: 'Pictures of the day' }).waitFor();
  assert.deepEqual(await violations(page), []);
  const choose = page.getByLabel('Choose pictures');
  const file = async (name: string, bytes?: Buffer) => ({
    name,
    mimeType: 'image/png',
    buffer: bytes ?? (await png()),
  });
  await choose.setInputFiles([
    await file('one.png'),
    await file('text.png', Buffer.from('hello')),
    await file('large.png', Buffer.alloc(100_001)),
  ]);
  const state = (name: string) => page.locator('.sent li', { hasText: name });
  await state('one.png').getByText('sent', { exact: true }).waitFor();
  await state('text.png').getByText('its content is not a PNG').waitFor();
  await state('large.png').getByText('larger than 100,000 bytes').waitFor();
  // The server answers 415 to what is no picture, which the browser's console reports.
  assert.deepEqual(
    page.troubles.filter((trouble) => !trouble.includes('415')),
    [],
  );
  page.troubles.length = 0;
  const transfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    for (const name of ['two.png', 'three.png', 'four.png'])
      transfer.items.add(new File([Uint8Array.from(atob('${(await png()).toString('base64')}'), (c) => c.charCodeAt(0))], name));
    return transfer;
  })()`);
  await page.locator('.zone').dispatchEvent('drop', { dataTransfer: transfer });
  await state('three.png').getByText('sent', { exact: true }).waitFor();
  await state('four.png').getByText('takes no more files').waitFor();
  assert.equal(await choose.isDisabled(), true);
  const stored = (await call<List<Upload>>('GET', `/uploads?album=${album.id}`)).body.items;
  assert.deepEqual(stored.map(({ filename }) => filename).toSorted(), ['one.png', 'three.png', 'two.png']);
  await page.reload();
  await page.getByText('This upload link has had its 3 files.').waitFor();
  await finish(page);
});
