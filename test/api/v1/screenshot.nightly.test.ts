// A screenshot of version 1 with more pixels than a render of version 2 may have. Spec 4.3.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { startPageServer } from '#test/support/page-server.ts';
import { bearer } from '#test/support/requests.ts';
import { startService } from '#test/support/service.ts';

test('4.3 full_page: a width of 3,840 px with every height that the format can hold', async () => {
  const site = await startPageServer({
    '/': '<!doctype html><body style="margin:0;height:36000px;background:#fc0">',
  });
  const service = await startService({ EGRESS_ALLOW: site.host });
  try {
    const { key } = await service.newKey();
    const response = await fetch(`${service.origin}/api/v1/screenshot`, {
      method: 'POST',
      body: JSON.stringify({ url: `${site.base}/`, full_page: true, width: 3840, format: 'jpeg' }),
      headers: { ...bearer(key), 'content-type': 'application/json' },
    });
    assert.equal(response.status, 200);
    const { width, height } = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
    assert.deepEqual([width, height], [3840, 36_000]);
  } finally {
    await service.stop();
    await site.close();
  }
});
