// The variant of a large photo that takes most: it fails by time, memory or size, and only for those who asked for it. v2 3.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { startService, type TestService } from '#test/support/service.ts';
import { uploadOne } from '#test/support/uploading.ts';

let service: TestService;
before(async () => {
  service = await startService();
});
after(() => service.stop());

const noise = { type: 'gaussian', mean: 120, sigma: 60 } as const;

test('every width of the share page is there after a stranger asked for what cannot be made', async () => {
  const { key } = await service.newKey();
  const bytes = await sharp({
    create: { width: 8_000, height: 6_000, channels: 3, background: 'black', noise },
  })
    .jpeg({ quality: 8 })
    .toBuffer();
  const { fileAt, pageAt } = await uploadOne(service.origin, key, { bytes, filename: 'large.jpg' });
  const refused = await fetch(`${fileAt}?format=png`);
  const { error } = (await refused.json()) as { error: { message: string } };
  assert.equal(refused.status, 422);
  assert.match(error.message, /too long|too much memory|more than \d+ bytes|limits of time/);

  const page = await (await fetch(pageAt)).text();
  const offered = /srcset="([^"]*)"/.exec(page)?.[1]?.split(', ') ?? [];
  assert.equal(offered.length, 4);
  for (const [path = '', width] of offered.map((candidate) => candidate.split(' '))) {
    const response = await fetch(service.origin + path, { headers: { accept: 'image/webp' } });
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'image/webp'], path);
    const made = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
    assert.equal(`${made.width}w`, width);
  }
  assert.equal((await fetch(`${fileAt}?format=png`)).status, 422);
});
