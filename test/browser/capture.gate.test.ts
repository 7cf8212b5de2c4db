// The largest pictures: a viewport of four million pixels and more, and pages that are cut at the longest side of their format. Spec 4.3.
import { after, before } from 'node:test';
import { useTestBrowser, type TestBrowser } from '#test/support/browser.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { captureRoutes, testHeight, testViewport, type Height } from '#test/browser/capture-kit.ts';

let server: PageServer;
let kit: TestBrowser;
before(async () => {
  server = await startPageServer(captureRoutes);
  kit = await useTestBrowser([server.host]);
});
after(() => server.close());

testViewport('webp', 3840, 2160, () => ({ kit, server }));

const heights: Height[] = [
  { format: 'webp', bands: 100, cutPx: 16_383 },
  { format: 'png', bands: 140, cutPx: 65_535 },
];
for (const height of heights) testHeight(height, () => ({ kit, server }));
