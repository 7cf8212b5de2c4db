// Thumbnails: made once, round-robin between accounts, and not for clients that have disconnected.
import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { newId } from '#core/ids.ts';
import type { Blobs } from '#storage/blobs.ts';
import { createDiskBlobs } from '#storage/disk-blobs.ts';
import type { UploadRow } from '#storage/schema.ts';
import { createThumbnails } from '#uploads/thumbnail.ts';
import { temporaryFolder } from '#lab/support/processes.ts';
import { uploadRow } from '#test/storage/rows.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let store: Blobs;
let picture: Buffer;
before(async () => {
  folder = await temporaryFolder();
  store = await createDiskBlobs(folder.path);
  const noise = { type: 'gaussian', mean: 120, sigma: 60 } as const;
  picture = await sharp({ create: { width: 600, height: 400, channels: 3, background: 'black', noise } })
    .png()
    .toBuffer();
});
after(() => folder.remove());

async function stored(accountId: string, bytes = picture): Promise<UploadRow> {
  const id = newId();
  await using spool = store.createSpool();
  await spool.write(bytes);
  await spool.commit(id);
  return { ...uploadRow(accountId), id, content_type: 'image/png', size_bytes: bytes.length };
}

/** A store that holds back each blob until the test releases it, and counts those opened. */
function gatedStore() {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  let [opened, now, most] = [0, 0, 0];
  const blobs: Blobs = {
    ...store,
    async open(key, range) {
      opened += 1;
      now += 1;
      most = Math.max(most, now);
      await gate;
      now -= 1;
      return store.open(key, range);
    },
  };
  return { blobs, open, opened: () => opened, most: () => most };
}

test('a thumbnail is made once and then cached, and so is the fact that there is none', async () => {
  const { blobs, open, opened } = gatedStore();
  open();
  const thumbnails = createThumbnails({ blobs });
  const row = await stored('a');
  const first = await thumbnails.of(row);
  assert.equal((await sharp(first).metadata()).width, 360);
  assert.ok(first?.equals((await thumbnails.of(row)) ?? Buffer.alloc(0)));
  assert.equal(opened(), 1);
  const noPicture = await stored('a', Buffer.alloc(50_000, 'x'));
  assert.equal(await thumbnails.of(noPicture), undefined);
  assert.equal(await thumbnails.of(noPicture), undefined);
  assert.equal(opened(), 2);
});

test('never more than two at once, and never two of the same account', async () => {
  const { blobs, open, opened, most } = gatedStore();
  const thumbnails = createThumbnails({ blobs });
  const rows = await Promise.all(['busy', 'busy', 'busy', 'busy', 'quiet', 'other'].map((id) => stored(id)));
  const made = rows.map((row) => thumbnails.of(row));
  assert.deepEqual(thumbnails.load(), { running: 2, waiting: 4 });
  await nextTurn();
  assert.equal(opened(), 2);
  open();
  assert.equal((await Promise.all(made)).filter(Boolean).length, 6);
  assert.equal(most(), 2);
});

test('a client that disconnects leaves the queue, and an account with too many waiting gets a retryable error', async () => {
  const { blobs, open, opened } = gatedStore();
  const thumbnails = createThumbnails({ blobs });
  const row = await stored('a');
  const running = thumbnails.of(row);
  const leave = new AbortController();
  const left = thumbnails.of(await stored('a'), leave.signal);
  leave.abort(new Error('the client disconnected'));
  await assert.rejects(left, /disconnected/);
  const waiting = Array.from({ length: 100 }, () => thumbnails.of(row));
  await assert.rejects(thumbnails.of(row), { code: 'rate_limited', retryAfterSeconds: 1 });
  open();
  await Promise.all([running, ...waiting]);
  assert.equal(opened(), 1, 'waiting requests found it in the cache');
});

test('a tall picture is shown from its top, a small one as large as it is, a transparent one stays so', async () => {
  const thumbnails = createThumbnails({ blobs: store });
  const noise = { type: 'gaussian', mean: 120, sigma: 60 } as const;
  const make = async (width: number, height: number, alpha = 1): Promise<UploadRow> => {
    const plain = sharp({ create: { width, height, channels: 3, background: 'black', noise } });
    const row = await stored('a', await plain.ensureAlpha(alpha).png().toBuffer());
    return { ...row, width, height };
  };
  const sizeOf = async (row: UploadRow) => {
    const { width, height, hasAlpha } = await sharp(await thumbnails.of(row)).metadata();
    return [width, height, hasAlpha];
  };
  assert.deepEqual(await sizeOf(await make(200, 4_000)), [120, 360, false]);
  assert.deepEqual(await sizeOf(await make(4_000, 200)), [360, 120, false]);
  assert.deepEqual(await sizeOf(await make(120, 100, 0.5)), [120, 100, true]);
  // Few bytes, but nothing to see in them without a cut.
  const line = { width: 8, height: 2_000, channels: 3, background: 'red' } as const;
  const row = await stored('a', await sharp({ create: line }).png().toBuffer());
  assert.ok(row.size_bytes < 16 * 1024);
  assert.deepEqual(await sizeOf({ ...row, width: 8, height: 2_000 }), [8, 24, false]);
});
