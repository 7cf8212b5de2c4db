// With version 1's options, version 2 asks the browser for the same: the same job gives the same picture at the same cost.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { RenderFailure, type Browser } from '#browser/browser.ts';
import type { Job } from '#browser/job.ts';
import { bearer } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { idleBrowser } from '#test/support/stand-in-browser.ts';

const url = 'http://127.0.0.1:9/';
let service: TestService;
let key: string;
const jobs: Job[] = [];

/** Takes down what it is asked for, and renders nothing. */
const openBrowser = async (): Promise<Browser> => ({
  async render(job) {
    jobs.push(job);
    throw new RenderFailure('crashed', 'this browser renders nothing');
  },
  ...idleBrowser,
});

before(async () => {
  service = await startService({ EGRESS_ALLOW: '127.0.0.1:9' }, 0, undefined, { openBrowser });
  ({ key } = await service.newKey());
});
after(() => service.stop());

/** Without the limit of pixels, which version 1 does not have. */
async function jobOf(path: string, body: object): Promise<object> {
  await fetch(service.origin + path, {
    method: 'POST',
    headers: { ...bearer(key), 'content-type': 'application/json' },
    body: JSON.stringify({ url, ...body }),
  });
  const { phases: _phases, maxPixels: _maxPixels, ...job } = jobs.pop()!;
  return job;
}

test('a picture with the defaults', async () => {
  assert.deepEqual(await jobOf('/api/v2/renders', {}), await jobOf('/api/v1/screenshot', {}));
});

test('a picture with every option of version 1', async () => {
  const options = { format: 'webp', full_page: true };
  assert.deepEqual(
    await jobOf('/api/v2/renders', { ...options, viewport: { width: 800, height: 600 } }),
    await jobOf('/api/v1/screenshot', { ...options, width: 800, height: 600 }),
  );
});

test('a PDF with every option of version 1; only version 2 lets the page settle before it prints', async () => {
  const options = {
    paper_format: 'legal',
    landscape: true,
    print_background: false,
    prefer_css_page_size: true,
    scale: 0.5,
    margin: { top: 10, right: '1cm' },
    viewport: { width: 800, height: 600 },
    wait_until: 'networkidle2',
    delay_ms: 20,
  };
  const first = (await jobOf('/api/v1/pdf', options)) as Job;
  assert.deepEqual(await jobOf('/api/v2/renders', { ...options, format: 'pdf' }), {
    ...first,
    waits: { ...first.waits, settles: true },
  });
});
