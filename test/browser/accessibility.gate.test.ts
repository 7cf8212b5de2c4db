// The accessibility tree of pages that are too large for it. v2 4 (accessibility).
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { RenderFailure } from '#browser/browser.ts';
import type { TreeNode } from '#browser/page/extract/accessibility-tree.ts';
import { useTestBrowser, type TestBrowser } from '#test/support/browser.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';

let server: PageServer;
let kit: TestBrowser;
before(async () => {
  server = await startPageServer({
    '/many': `<!doctype html>${'<p>x</p>'.repeat(10_500)}`,
    '/too-many': `<!doctype html>${'<i></i>'.repeat(61_000)}`,
  });
  kit = await useTestBrowser([server.host]);
});
after(() => server.close());

const outputs = [{ format: 'accessibility' as const }];
const count = ({ children = [] }: TreeNode): number => children.reduce((sum, child) => sum + count(child), 1);

test('a long page: its tree is cut, and says so; a longer one fails', async () => {
  await using rendered = await kit.render(`${server.base}/many`, { outputs });
  const [output] = rendered.outputs;
  const tree = JSON.parse(await readFile(output!.path, 'utf8')) as TreeNode;
  assert.deepEqual([count(tree), output!.truncated], [20_000, true]);
  assert.deepEqual(
    rendered.page.warnings.map(({ code }) => code),
    ['content_cut'],
  );
  await assert.rejects(kit.render(`${server.base}/too-many`, { outputs }), (error: RenderFailure) => {
    assert.deepEqual([error.reason, /more than 60000 nodes/.test(error.message)], ['too_large', true]);
    return true;
  });
});
