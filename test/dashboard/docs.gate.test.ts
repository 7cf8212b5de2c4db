// The documentation of a service: the reference has everything in the OpenAPI document, with and without JavaScript, on screen and in
// print; the pages of docs/ are all there, lead to each other, and are found.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { errorTable } from '#core/errors.ts';
import { buildOpenapi } from '#site/openapi/document.ts';
import { judge, startDashboard, type Dashboard } from '#test/dashboard/kit.ts';

let dashboard: Dashboard;
before(async () => {
  dashboard = await startDashboard();
});
after(() => dashboard.close());

test('without JavaScript the page has every endpoint, field, header and error, and no broken internal link', async () => {
  const page = await dashboard.open({ javaScriptEnabled: false });
  await page.goto('/docs');
  const text = (await page.locator('main').textContent()) ?? '';
  const { paths } = buildOpenapi('') as { paths: Record<string, unknown> };
  const said = [
    ...Object.keys(paths).filter((path) => /^\/api\/(v1|account)\//.test(path)),
    ...Object.keys(errorTable),
    'expires_in',
    'margin.top',
    'viewport.width',
    'wait_until',
    'x-service-quota-warning',
    'Retry-After',
    'Idempotency-Key',
    'delete_url',
    '100,000',
  ];
  for (const name of said) assert.ok(text.includes(name), `${name} is missing`);
  const source = await (await fetch(`${dashboard.service.origin}/docs`)).text();
  const ids = new Set([...source.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  const targets = [...source.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id!);
  assert.ok(targets.length > 40);
  assert.deepEqual(
    targets.filter((id) => !ids.has(id)),
    [],
  );
  // One language is shown; one click shows another.
  const sample = page.locator('#screenshot .samples');
  assert.equal(await sample.locator('pre.python').isVisible(), false);
  await sample.getByText('Python').click();
  assert.equal(await sample.locator('pre.python').isVisible(), true);
  assert.equal(await sample.locator('pre.curl').isVisible(), false);
  await page.emulateMedia({ media: 'print' });
  assert.equal(await sample.locator('pre.curl').isVisible(), true, 'print shows all languages');
  assert.equal(await page.locator('.contents').isVisible(), false);
  await page.context().close();
});

test('with JavaScript samples can be copied, and one language applies to all of them', async () => {
  const page = await dashboard.open();
  await page.goto('/docs');
  await page.locator('#upload .samples').getByText('TypeScript').click();
  assert.equal(await page.locator('#pdf pre.typescript').isVisible(), true);
  await page.locator('#pdf').getByRole('button', { name: 'Copy: TypeScript' }).click();
  const copied = await page.evaluate<string>('navigator.clipboard.readText()');
  assert.ok(copied.includes(`new Tintype({ baseUrl: '${dashboard.service.config.baseUrl}'`), copied);
  assert.match(copied, /await tintype\.pdf\('https:/);
  assert.equal(
    await page.locator('#pdf').getByRole('link', { name: 'Open in the playground' }).getAttribute('href'),
    '/dashboard/playground?tab=pdf',
  );
  await judge(page);
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

const root = join(import.meta.dirname, '..', '..');

test('every page of docs/ is shown, and every link and anchor between them leads somewhere', async () => {
  const { origin } = dashboard.service;
  const files = globSync('docs/{*,*/*}.md', { cwd: root }).toSorted();
  const addresses = files.map((file) => `/${file.slice(0, -'.md'.length)}`.replace(/\/README$/, ''));
  const pages = new Map<string, string>();
  for (const address of [...addresses, '/docs']) {
    const response = await fetch(origin + address);
    assert.equal(response.status, 200, address);
    pages.set(address, await response.text());
  }
  assert.ok(pages.size > 30, `only ${pages.size} pages`);
  const wrong = [...pages].flatMap(([address, markup]) => {
    const main = markup.slice(markup.indexOf('<main'));
    return [...main.matchAll(/<a [^>]*?href="((?:\/docs|#)[^"]*)"/g)]
      .map(([, href = '']) => href)
      .filter((href) => {
        const [path, anchor] = href.split('#');
        const target = pages.get(path || address);
        return target === undefined || (anchor !== undefined && !target.includes(` id="${anchor}"`));
      })
      .map((href) => `${address}: ${href}`);
  });
  assert.deepEqual(wrong, []);
  const gone = await fetch(`${origin}/docs/guides/nothing`);
  assert.equal(gone.status, 404);
});

test('the search finds guides and endpoints from any page, by keyboard', async () => {
  const page = await dashboard.open();
  await page.goto('/docs/quickstart');
  await page.keyboard.press('/');
  await page.keyboard.type('roll back');
  await page.locator('.hit').first().waitFor();
  assert.equal(await page.locator('#docs-page').isVisible(), false);
  const first = page.locator('.hit').first();
  assert.equal(await first.getAttribute('href'), '/docs/self-hosting/upgrade');
  assert.deepEqual((await first.locator('strong mark').allTextContents()).join(' '), 'roll back');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/docs/self-hosting/upgrade');
  await page.getByLabel('Search the documentation').fill('createrender max_age');
  await page.getByText('Nothing found.').waitFor();
  await page.getByLabel('Search the documentation').fill('api/v2/upload_links max_files');
  await page.locator('.hit[href^="/docs#v2-"]').first().click();
  await page.waitForURL('**/docs#v2-*');
  assert.equal(await page.locator('#docs-page').isVisible(), true);
  await judge(page);
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});
