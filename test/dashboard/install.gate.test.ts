// The dashboard as an app on a phone: its manifest, and what becomes of pictures and addresses that people share with it. Forms of a page
// with an opaque origin stand for the share, because a share and a form of a foreign site reach the service worker in the same way.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { imageNames } from '#uploads/image-types.ts';
import { png } from '#test/support/images.ts';
import { password } from '#test/support/visitor.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { finish, startDashboard, violations, type Dashboard } from '#test/dashboard/kit.ts';

interface Manifest {
  start_url: string;
  scope: string;
  display: string;
  theme_color: string;
  icons: { src: string; sizes: string; type: string; purpose?: string }[];
  share_target: { action: string; params: { files: { name: string; accept: string[] }[] } };
}

let dashboard: Dashboard;
let picture: Buffer;
before(async () => {
  dashboard = await startDashboard();
  picture = await png();
});
after(() => dashboard.close());

/** Sends a form to the share target, with the files and texts that an app gives. */
async function share(
  page: Page,
  { files = [], texts = {} }: { files?: string[]; texts?: Record<string, string> },
): Promise<void> {
  const { origin } = dashboard.service;
  const fields = Object.keys(texts).map((name) => `<textarea name="${name}"></textarea>`);
  await page.goto('about:blank');
  await page.setContent(`<form method="post" enctype="multipart/form-data" action="${origin}/dashboard/share">
    ${fields.join('')}<input type="file" ${files.length > 0 ? 'name="file"' : ''} multiple /><button>Share</button></form>`);
  for (const [name, text] of Object.entries(texts)) await page.locator(`[name=${name}]`).fill(text);
  await page
    .locator('input')
    .setInputFiles(files.map((name) => ({ name, mimeType: 'image/png', buffer: picture })));
  await page.getByRole('button', { name: 'Share' }).click();
}

/** The person has opened the dashboard before, so its worker is there. */
async function openReady() {
  const opened = await dashboard.openAs({}, { viewport: { width: 390, height: 844 } });
  await opened.page.goto('/dashboard/uploads');
  await waitFor('the worker', () =>
    opened.page.evaluate<boolean>(
      `navigator.serviceWorker.getRegistration('/dashboard/share').then((found) => found?.active?.state === 'activated')`,
    ),
  );
  return opened;
}

test('the manifest is valid for the browser, and its icons are there in the sizes that it names', async () => {
  const page = await dashboard.open();
  await page.goto('/dashboard/sign-in');
  const session = await page.context().newCDPSession(page);
  const { url, errors, data = '' } = await session.send('Page.getAppManifest');
  assert.deepEqual(errors, []);
  const { headers } = await fetch(url);
  assert.equal(headers.get('content-type'), 'application/manifest+json');
  assert.equal(headers.get('cache-control'), 'no-cache');
  const { start_url, scope, display, theme_color, icons, share_target } = JSON.parse(data) as Manifest;
  assert.equal(display, 'standalone');
  assert.match(theme_color, /^#[0-9a-f]{6}$/);
  for (const path of [start_url, share_target.action]) assert.ok(path.startsWith(scope), path);
  assert.deepEqual(share_target.params.files, [{ name: 'file', accept: Object.keys(imageNames) }]);
  assert.deepEqual(
    icons.map(({ sizes, purpose = 'any' }) => `${sizes} ${purpose}`),
    ['192x192 any', '512x512 any', '512x512 maskable'],
  );
  for (const { src, sizes, type, purpose } of icons) {
    const response = await fetch(dashboard.service.origin + src);
    assert.equal(response.headers.get('content-type'), type);
    const icon = sharp(Buffer.from(await response.arrayBuffer()));
    const { width, height } = await icon.metadata();
    assert.equal(`${width}x${height}`, sizes);
    // Launchers cut any shape out of a maskable icon, so no part of it may be transparent.
    assert.equal((await icon.stats()).isOpaque, purpose === 'maskable', src);
  }
  await finish(page);
});

test('the bars of a phone have the colour of the page, whichever theme is chosen', async () => {
  const page = await dashboard.open();
  await page.goto('/dashboard/sign-in');
  for (const [chosen, system, bars, paper] of [
    ['system', 'dark', '#171513', 'rgb(23, 21, 19)'],
    ['light', 'dark', '#f6f3ee', 'rgb(246, 243, 238)'],
    ['dark', 'light', '#171513', 'rgb(23, 21, 19)'],
  ] as const) {
    await page.evaluate(`localStorage.setItem('tintype theme', '${chosen}')`);
    await page.emulateMedia({ colorScheme: system });
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    const colours = await page.evaluate(`[
      ...[...document.querySelectorAll('meta[name="theme-color"]')].filter(({ media }) => matchMedia(media).matches).map(({ content }) => content),
      getComputedStyle(document.body).backgroundColor,
    ]`);
    assert.deepEqual(colours, [bars, paper], `${chosen}, with a ${system} system`);
  }
  await finish(page);
});

test('shared pictures wait over a sign-in, and then in the tray until the person presses Upload', async () => {
  const { page, person } = await openReady();
  const posts: string[] = [];
  page.on('request', (sent) => sent.method() === 'POST' && posts.push(new URL(sent.url()).pathname));
  await page.context().clearCookies();
  await share(page, { files: ['harbour.png', 'pier.png'] });
  await page.getByLabel('E-mail').fill(person.email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  const tray = page.getByRole('region', { name: 'Your latest uploads' });
  await tray.getByText('Upload 2 shared files?').waitFor();
  await page.getByRole('heading', { name: 'No uploads yet' }).waitFor();
  assert.equal(new URL(page.url()).pathname, '/dashboard/uploads');
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(posts, ['/dashboard/share', '/api/dashboard/sign-in']);
  assert.equal((await person.call('GET /uploads')).body.items.length, 0);
  // Nothing is kept longer than needed, and the worker has no part in the dashboard's pages.
  assert.deepEqual(await page.evaluate('caches.keys()'), []);
  assert.equal(await page.evaluate('navigator.serviceWorker.controller'), null);

  await tray.getByRole('button', { name: 'Cancel pier.png' }).click();
  await tray.getByText('Upload 1 shared file?').waitFor();
  await tray.getByRole('button', { name: 'Upload', exact: true }).click();
  await page.getByText('Link copied.').waitFor();
  const { items } = (await person.call('GET /uploads')).body;
  assert.deepEqual(
    items.map(({ filename }) => filename),
    ['harbour.png'],
  );
  await finish(page);
});

test('a shared address is filled in at the playground, and nothing is rendered', async () => {
  const { page, person } = await openReady();
  await share(page, { texts: { title: 'Tide tables', text: 'Tide tables https://example.com/tides?a=b&c' } });
  await page.waitForURL('**/dashboard/playground?**');
  await page.getByLabel('Address').waitFor();
  assert.equal(await page.getByLabel('Address').inputValue(), 'https://example.com/tides?a=b&c');
  assert.equal((await person.call('GET /renders')).body.items.length, 0);
  await finish(page);
});

test('a share that reaches the service is redirected before its body arrives, and the page says that nothing came', async () => {
  const { promise, resolve, reject } = Promise.withResolvers<[number | undefined, string | undefined]>();
  const sent = request(`${dashboard.service.origin}/dashboard/share`, {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=x', 'content-length': 1_000_000 },
  });
  sent.on('error', reject);
  sent.on('response', ({ statusCode, headers }) => resolve([statusCode, headers.location]));
  sent.flushHeaders();
  assert.deepEqual(await promise, [303, '/dashboard/uploads?shared']);
  sent.off('error', reject).on('error', () => {});
  sent.destroy();

  const { page } = await dashboard.openAs();
  await share(page, { files: ['harbour.png'] });
  await page.getByText('What you shared did not arrive. Share it again.').waitFor();
  await finish(page);
});
