// Variants that have to be made count against the address that asks; those that exist cost nothing. v2 3.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { newVariantsPerMinute } from '#site/hosted/variant.ts';
import { variantWidths } from '#uploads/pictures/variant.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { uploadOne } from '#test/support/uploading.ts';

let service: TestService;
before(async () => {
  service = await startService();
});
after(() => service.stop());

test('10.10 one address has a number of new variants made in a minute; then pages still show the picture', async () => {
  const { key } = await service.newKey();
  const bytes = await sharp({ create: { width: 2600, height: 1, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  const pictures = await Promise.all(
    ['a.png', 'b.png'].map((filename) => uploadOne(service.origin, key, { bytes, filename })),
  );
  const queries = variantWidths.flatMap((width) =>
    ['webp', 'jpeg', 'png'].map((format) => `width=${width}&format=${format}`),
  );
  const addresses = pictures.flatMap(({ fileAt }) => queries.map((query) => `${fileAt}?${query}`));
  for (const address of addresses.slice(0, newVariantsPerMinute))
    assert.equal((await fetch(address)).status, 200, address);

  const next = addresses[newVariantsPerMinute]!;
  const refused = await fetch(next);
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get('x-service-ratelimit-remaining'), '0');
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  const shown = await fetch(`${pictures[1]!.fileAt}?width=2560`, { headers: { accept: 'image/png' } });
  assert.equal(shown.status, 200);
  assert.deepEqual(Buffer.from(await shown.arrayBuffer()), bytes);
  assert.equal((await fetch(addresses[0]!)).status, 200);

  await service.clock.advance(61_000);
  assert.equal((await fetch(next)).status, 200);
});
