// The largest page of the corpus. It takes 5 s of CPU time, so a busy machine may not draw it within the 25 s that it has. Spec 4.3.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useTestBrowser } from '#test/support/browser.ts';
import { startPageServer } from '#test/support/page-server.ts';
import { decode, nameOf } from '#test/support/pixels.ts';
import { many } from '#test/browser/corpus/full-page.ts';

test('4.3 100,000 elements', async (context) => {
  const server = await startPageServer({ '/many': many(100_000) });
  const kit = await useTestBrowser([server.host]);
  context.after(async () => {
    await server.close();
  });
  const { bytes } = await kit.shoot(`${server.base}/many`, { width: 800, height: 600, fullPage: true });
  const picture = await decode(bytes);
  assert.equal(picture.height, 1200);
  assert.deepEqual([nameOf(picture.at(400, 50)), nameOf(picture.at(400, 1150))], ['green', 'green']);
});
