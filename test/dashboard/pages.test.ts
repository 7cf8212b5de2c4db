// Every page, light and dark, on a phone and on a desktop: accessible, within its policy, and kept as a picture.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { png } from '#lab/support/images.ts';
import { formOf } from '#lab/support/requests.ts';
import { createVisitor, signedInVisitor, type Visitor } from '#lab/support/visitor.ts';
import { outputFolder, startDashboard, violations, type Dashboard } from '#test/dashboard/kit.ts';
import { seed } from '#test/dashboard/seed.ts';

let dashboard: Dashboard;
let owner: Visitor;
let newcomer: Visitor;
let upload: { url: string; delete_url: string };

before(async () => {
  dashboard = await startDashboard({ SIGNUPS: 'open' });
  const { service, site } = dashboard;
  owner = await signedInVisitor(service, { owner: true });
  newcomer = await signedInVisitor(service, { plan: 'free', verified: false });
  await service.accounts.create('suspended@example.com', { plan: 'starter' });
  const suspended = (await owner.call('GET /admin/accounts', { query: { search: 'suspended@' } })).body
    .items[0]!;
  await owner.call('PATCH /admin/accounts/:id', {
    id: suspended.id,
    body: { suspended: true, suspended_reason: 'Sent the same picture 40,000 times.' },
  });
  await owner.call('PATCH /overages', { body: { enabled: true, cap: 5_000 } });
  await seed(service, site, owner);
  upload = (await owner.call('POST /uploads', { form: formOf([[await png(320, 200), 'shared.png']]) })).body;
});
after(() => dashboard.close());

interface Shown {
  name: string;
  path: () => string;
  as: () => Visitor;
  /** What the page shows when it is there. */
  sign: string;
}

const stranger = (): Visitor => createVisitor(dashboard.service);
const shown: Shown[] = [
  page('landing', () => '/', 'Pages as pictures', stranger),
  page('docs', () => '/docs', 'API reference', stranger),
  page('share', () => new URL(upload.url).pathname, 'shared.png', stranger),
  page('delete', () => upload.delete_url.slice(dashboard.service.config.baseUrl.length), 'Delete', stranger),
  page('gone', () => '/i/nothing-here', 'Nothing here', stranger),
  page('sign-in', () => '/dashboard/sign-in', 'Forgot your password?', stranger),
  page('sign-up', () => '/dashboard/sign-up', 'At least 10 characters', stranger),
  page('forgot-password', () => '/dashboard/forgot-password', 'Get a link', stranger),
  page('reset-password', () => '/dashboard/reset-password?token=x', 'Choose a new password', stranger),
  page(
    'verify-email',
    () => '/dashboard/verify-email',
    'This link does not work',
    () => newcomer,
  ),
  page(
    'overview-new',
    () => '/dashboard',
    'First steps',
    () => newcomer,
  ),
  page(
    'uploads-empty',
    () => '/dashboard/uploads',
    'No uploads yet',
    () => newcomer,
  ),
  page(
    'keys-empty',
    () => '/dashboard/keys',
    'No keys yet',
    () => newcomer,
  ),
  page('overview', () => '/dashboard', 'mark.svg'),
  page('uploads', () => '/dashboard/uploads', 'mark.svg'),
  page('uploads-filtered', () => '/dashboard/uploads?search=nothing+like+it', 'No upload fits'),
  page('renders', () => '/dashboard/renders', 'Hosted'),
  page('playground', () => '/dashboard/playground', 'The same call'),
  page('playground-pdf', () => '/dashboard/playground?tab=pdf', 'Print backgrounds'),
  page('playground-upload', () => '/dashboard/playground?tab=upload', 'Expires in'),
  page('keys', () => '/dashboard/keys', 'build server'),
  page('usage', () => '/dashboard/usage', 'Uploads by day'),
  page('requests', () => '/dashboard/requests', '/api/v1/upload'),
  page('settings', () => '/dashboard/settings', 'This one'),
  page('integrations', () => '/dashboard/integrations', 'ShareX'),
  page('admin-accounts', () => '/dashboard/admin/accounts', 'suspended@example.com'),
  page('admin-overages', () => '/dashboard/admin/overages', 'No overages'),
  page('admin-health', () => '/dashboard/admin/health', 'Stored uploads'),
  page('admin-audit', () => '/dashboard/admin/audit', 'Sent the same picture'),
  page('not-found', () => '/dashboard/nowhere', 'There is no such page'),
];

function page(name: string, path: () => string, sign: string, as: () => Visitor = () => owner): Shown {
  return { name, path, sign, as };
}

/** Contrast depends on the scheme and layout on the width, so two of the four show whatever axe-core can find. */
const looks = [
  { scheme: 'light', width: 1440, isJudged: true },
  { scheme: 'dark', width: 1440, isJudged: false },
  { scheme: 'light', width: 390, isJudged: false },
  { scheme: 'dark', width: 390, isJudged: true },
] as const;

for (const { scheme, width, isJudged } of looks) {
  test(`every page, ${scheme}, ${width} px wide: shown, quiet, accessible, without sideways scrolling`, async () => {
    const found: string[] = [];
    for (const as of [stranger, () => newcomer, () => owner]) {
      const tab = await dashboard.open({
        as: as(),
        colorScheme: scheme,
        viewport: { width, height: width < 500 ? 844 : 900 },
      });
      for (const { name, path, sign, as: reader } of shown) {
        if (reader !== as && reader() !== as()) continue;
        await tab.goto(path());
        await tab.getByText(sign).filter({ visible: true }).first().waitFor();
        await tab.evaluate(
          `Promise.all([...document.images].map((image) => image.loading === 'lazy' || image.decode()))`,
        );
        const overhang = await tab.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
        if (overhang > 0) found.push(`${name}: ${overhang} px too wide`);
        await tab.screenshot({ path: join(outputFolder, `${name}-${scheme}-${width}.png`), fullPage: true });
        if (isJudged) found.push(...(await violations(tab)).map((violation) => `${name}: ${violation}`));
      }
      found.push(...tab.troubles);
      await tab.context().close();
    }
    assert.deepEqual(found, []);
  });
}

test('every page has a strict policy: nothing inline, nothing from elsewhere', async () => {
  for (const { name, path } of shown) {
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

test('the first load is under 200 KB of compressed script', async () => {
  const tab = await dashboard.open({ as: owner });
  const scripts = new Set<string>();
  tab.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (pathname.endsWith('.js')) scripts.add(pathname);
  });
  await tab.goto('/dashboard');
  await tab.getByText('mark.svg').first().waitFor();
  const folder = join(import.meta.dirname, '..', '..', 'dashboard', 'dist', 'assets');
  const sizes = [...scripts].map(
    (path) => gzipSync(readFileSync(join(folder, path.split('/').at(-1)!))).length,
  );
  const sizeBytes = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(scripts.size > 0 && sizeBytes < 200 * 1024, `${scripts.size} scripts, ${sizeBytes} bytes`);
  await tab.context().close();
});

test('built files are compressed, never change, and nothing else of the folder is served', async () => {
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
