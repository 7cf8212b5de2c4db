// Every page, light on a desktop and dark on a phone: loads, is accessible, keeps to its policy.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Visitor } from '#test/support/visitor.ts';
import type { Dashboard } from '#test/dashboard/kit.ts';
import { startEveryPage, type EveryPage } from '#test/dashboard/every-page.ts';

let pages: EveryPage;
let dashboard: Dashboard;
let owner: Visitor;

before(async () => {
  pages = await startEveryPage();
  ({ dashboard, owner } = pages);
});
after(() => dashboard.close());

for (const look of [
  { scheme: 'light', width: 1440 },
  { scheme: 'dark', width: 390 },
] as const) {
  test(`every page, ${look.scheme}, ${look.width} px wide: loads, logs no errors, is accessible, does not scroll sideways`, async () => {
    assert.deepEqual(await pages.faultsIn(look), []);
  });
}

test('every page has a strict policy: nothing inline, nothing from elsewhere', async () => {
  for (const { name, path } of pages.shown) {
    const response = await fetch(dashboard.service.origin + path(), { headers: { accept: 'text/html' } });
    const policy = response.headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none'/, name);
    assert.match(policy, /frame-ancestors 'none'/, name);
    assert.match(policy, /base-uri 'none'/, name);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/, name);
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff', name);
    const text = await response.text();
    assert.doesNotMatch(
      text,
      /<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=/i,
      `${name} has something inline`,
    );
  }
});

test('the first load is under 120 KB of compressed script and style', async () => {
  const tab = await dashboard.open({ as: owner });
  const files = new Set<string>();
  tab.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (/\.(js|css)$/.test(pathname)) files.add(pathname);
  });
  await tab.goto('/dashboard');
  await tab.getByText('mark.svg').first().waitFor();
  const folder = join(import.meta.dirname, '..', '..', 'dashboard', 'dist', 'assets');
  const sizes = [...files].map(
    (path) => gzipSync(readFileSync(join(folder, path.split('/').at(-1)!))).length,
  );
  const sizeBytes = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(files.size > 1 && sizeBytes < 120 * 1024, `${files.size} files, ${sizeBytes} bytes`);
  await tab.context().close();
});

test('before its script has arrived, the page shows its frame', async () => {
  const tab = await dashboard.open({ as: owner });
  await tab.route(/\.js$/, () => {});
  await tab.goto('/dashboard', { waitUntil: 'commit' });
  await tab.getByText('Tintype').waitFor();
  await tab.getByRole('status', { name: 'Loading' }).waitFor();
  await tab.context().close();
});

test('on a phone the details of a render open at their top, with the focus on the copy button', async () => {
  const tab = await dashboard.open({ as: owner, viewport: { width: 390, height: 844 } });
  await tab.goto(pages.shown.find(({ name }) => name === 'render')!.path());
  await tab.getByRole('button', { name: 'Copy Page link' }).and(tab.locator(':focus')).waitFor();
  assert.equal(await tab.getByRole('dialog').evaluate((dialog) => dialog.scrollTop), 0);
  await tab.context().close();
});

test('the start page leads to the documentation and to sign-in, and copies its calls', async () => {
  const tab = await dashboard.open({ viewport: { width: 390, height: 844 } });
  await tab.goto('/');
  // The button says it for a moment, so the page is watched before it is pressed.
  await Promise.all([
    tab.getByRole('button', { name: 'Copied: Upload: the call' }).waitFor(),
    tab.getByRole('button', { name: 'Copy: Upload: the call' }).click(),
  ]);
  assert.match(await tab.evaluate<string>('navigator.clipboard.readText()'), /^curl .*\/api\/v1\/upload /);
  const header = tab.getByRole('banner');
  assert.equal(await header.getByRole('link', { name: 'Docs' }).getAttribute('href'), '/docs');
  await header.getByRole('link', { name: 'Sign in' }).click();
  await tab.getByText('Forgot your password?').waitFor();
  await tab.context().close();
});

test('a share page offers the actual size of a picture only if it is shown smaller', async () => {
  const tab = await dashboard.open();
  const arrival = Promise.withResolvers<void>();
  await tab.route('**/f/**', (route) => arrival.promise.then(() => route.continue()));
  await tab.goto(pages.shown.find(({ name }) => name === 'share')!.path(), { waitUntil: 'domcontentloaded' });
  const button = tab.getByText('Actual size');
  // A picture that arrives late has no width when the page's script runs.
  await button.waitFor();
  arrival.resolve();
  await button.waitFor({ state: 'hidden' });
  await tab.setViewportSize({ width: 390, height: 844 });
  await button.waitFor();
  await tab.context().close();
});

test('built files are compressed and immutable, and nothing else in the folder is served', async () => {
  const { origin } = dashboard.service;
  const html = await (await fetch(`${origin}/dashboard/uploads`)).text();
  const script = /src="([^"]+\.js)"/.exec(html)?.[1] ?? '';
  const response = await fetch(origin + script);
  assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.match(response.headers.get('content-encoding') ?? '', /^(br|gzip)$/);
  assert.equal(response.headers.get('content-type'), 'text/javascript; charset=utf-8');
  const plain = await fetch(origin + script, { headers: { 'accept-encoding': 'identity' } });
  assert.equal(plain.headers.get('content-encoding'), null);
  assert.equal(await plain.text(), await response.text());
  for (const path of ['assets/..%2findex.html', 'assets/nothing.js', 'assets/..%2f.vite%2fmanifest.json']) {
    assert.equal((await fetch(`${origin}/dashboard/${path}`)).status, 404, path);
  }
});
