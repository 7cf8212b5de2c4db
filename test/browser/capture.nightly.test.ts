// Every format at every size, as far as the other gates leave it out. Spec 4.3.
import { after, before } from 'node:test';
import type { PictureFormat } from '#browser/job.ts';
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

const viewports: [PictureFormat, number, number][] = [
  ['png', 320, 320],
  ['png', 3840, 2160],
  ['jpeg', 1440, 900],
  ['jpeg', 3840, 2160],
  ['webp', 1440, 900],
  ['webp', 320, 320],
];
for (const [format, width, height] of viewports) {
  testViewport(format, width, height, () => ({ kit, server }));
}

const heights: Height[] = [
  { format: 'webp', bands: 32 },
  { format: 'png', bands: 100 },
  { format: 'jpeg', bands: 100 },
];
for (const height of heights) testHeight(height, () => ({ kit, server }));
