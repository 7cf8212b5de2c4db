// The API reference has everything in the OpenAPI document, with and without JavaScript, on screen and in print.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { errorTable } from '#core/errors.ts';
import { buildOpenapi } from '#http/openapi/document.ts';
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
    ...Object.keys(paths).filter((path) => path.startsWith('/api/v1/')),
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

test('with JavaScript the page can be searched by keyboard, samples can be copied, and one language applies to all of them', async () => {
  const page = await dashboard.open();
  await page.goto('/docs');
  await page.keyboard.press('/');
  await page.keyboard.type('margin');
  await page.getByText(/^\d of \d+ sections\.$/).waitFor();
  assert.equal(await page.locator('#pdf').isVisible(), true);
  assert.equal(await page.locator('#upload').isVisible(), false);
  await page.getByLabel('Search the reference').fill('xylophone');
  await page.getByText('Nothing found.').waitFor();
  await page.getByLabel('Search the reference').fill('');
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
