// Headers and footers that take long, leave their place or cover the page: the render ends in time, and the next is as usual. v2 4.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RenderFailure } from '#browser/browser.ts';
import { useTestBrowser } from '#test/support/browser.ts';
import { readPrinted } from '#test/support/printed.ts';
import { chapters, everywhere, pdfOf, renderText } from '#test/browser/printed-kit.ts';

const hostile = {
  'nested 4,300 times': `${'<table><tr><td>'.repeat(4_300)}{{page}}`,
  'that go elsewhere': '<meta http-equiv="refresh" content="0;url=/elsewhere">{{page}}',
  'that spread over the page': `<style>* { position: fixed !important; break-before: page !important; transform: scale(3); padding: 9in }
    html { columns: 3; zoom: 2; display: none }</style><div style="height:99999px;width:99999px">{{page}}</div>
    <iframe src="data:text/html,<iframe src='data:text/html,x'>"></iframe>`,
};
for (const [what, usual] of Object.entries(hostile))
  test(`v2 headers ${what} end in time, and the next render is as usual`, async () => {
    const kit = await useTestBrowser([]);
    const print = async (text: string, header: string) => {
      const { made } = await renderText(kit, text, [pdfOf({ header: everywhere(header) })], {
        timeoutMs: 6_000,
      });
      return readPrinted(made[0]!.bytes);
    };
    const { pages } = await print(chapters(3), usual).catch((error: RenderFailure) => {
      assert.ok(['unprintable', 'timed_out', 'crashed', 'too_large'].includes(error.reason), String(error));
      return { pages: [] };
    });
    for (const page of pages) assert.match(page.text, /Chapter \d end/);
    const next = await print('<p>next', 'h');
    assert.match(next.pages[0]!.text, /h[^]*next|next[^]*h/);
  });
