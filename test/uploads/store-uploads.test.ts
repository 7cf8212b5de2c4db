// Uploads whose metadata is removed: what is stored and counted is the clean file, and a file that cannot be read is refused.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { createCell } from '#cell/cell.ts';
import { readBlob, type Blobs } from '#storage/blobs.ts';
import type { Caller } from '#accounts/authenticate.ts';
import { monthOf } from '#metering/quota.ts';
import { builtInPlans } from '#accounts/plans.ts';
import { createFileCleaner } from '#uploads/file-cleaner.ts';
import type { ImageType } from '#uploads/image-types.ts';
import { receiveFile } from '#uploads/receive-file.ts';
import { createUploadsRoom, type UploadsRoom } from '#uploads/room.ts';
import type { UploadOutcome } from '#uploads/store-uploads.ts';
import { plantedText } from '#test/support/camera-files.ts';
import { idleBrowser } from '#test/support/stand-in-browser.ts';
import { createTestClock } from '#test/support/clock.ts';
import { blobEngines, databaseEngines, type OpenBlobs, type OpenDatabase } from '#test/storage/engines.ts';
import { accountRow } from '#test/storage/rows.ts';

let [opened, stored] = [{} as OpenDatabase, {} as OpenBlobs];
let [blobs, room] = [{} as Blobs, {} as UploadsRoom];
let uploader: Caller;
const clock = createTestClock();
const roomCell = createCell();
before(async () => {
  opened = await databaseEngines[0]!.open();
  stored = await blobEngines[0]!.open();
  blobs = stored.blobs;
  room = createUploadsRoom({
    database: opened.database,
    blobs,
    clock,
    cell: roomCell,
    browser: idleBrowser,
    reached: () => {},
    linksOf: () => ({}),
    wakeWebhooks: () => {},
    secret: 'secret',
  });
  const account = accountRow();
  await opened.database.tables.accounts.insert(account);
  uploader = {
    accountId: account.id,
    keyId: null,
    plan: builtInPlans[0]!,
    mayOverrun: false,
    overageCap: null,
    webhookEvents: '',
    allowedHosts: '',
  };
});
after(async () => {
  room.close();
  await roomCell.close();
  await opened.close();
  await stored.close();
});

const photo = readFileSync(join(import.meta.dirname, '..', 'fixtures', 'metadata', 'photo.jpg'));

async function store(bytes: Buffer, stripMetadata: boolean, signal?: AbortSignal): Promise<UploadOutcome> {
  await using receiver = receiveFile(blobs, 'photo.jpg', uploader.accountId);
  await receiver.write(bytes);
  const files = [await receiver.finish()];
  const options = { expiresInSeconds: undefined, stripMetadata, ...(signal && { signal }) };
  const { outcomes } = await room.uploadStore.storeUploads(uploader, files, options, async () => ({}));
  return outcomes[0]!;
}

test('the clean file is stored, with its own size and hash', async () => {
  const outcome = await store(photo, true);
  assert.ok(outcome.ok);
  const { row } = outcome.upload;
  const bytes = await readBlob(blobs, row.id);
  assert.ok(bytes && bytes.length < photo.length);
  assert.doesNotMatch(bytes.toString('latin1'), plantedText);
  assert.deepEqual([row.size_bytes, row.sha256], [bytes.length, hash('sha256', bytes)]);
  // Turned, as the orientation says.
  assert.deepEqual([row.width, row.height], [64, 96]);
  assert.deepEqual(JSON.parse(row.metadata_removed), [
    'gps',
    'camera',
    'time',
    'author',
    'thumbnail',
    'text',
  ]);

  const again = await store(bytes, true);
  assert.ok(again.ok);
  assert.deepEqual([again.upload.row.metadata_removed, again.upload.row.sha256], ['[]', row.sha256]);
});

test('without the removal a file is stored as it was sent', async () => {
  const outcome = await store(photo, false);
  assert.ok(outcome.ok);
  assert.deepEqual(await readBlob(blobs, outcome.upload.row.id), photo);
  assert.deepEqual(outcome.upload.row.metadata_removed, '[]');
});

test('a file that cannot be read with certainty is refused, and stored only without the removal', async () => {
  const cut = photo.subarray(0, 3_000);
  const outcome = await store(cut, true);
  assert.ok(!outcome.ok);
  assert.equal(outcome.error.code, 'validation_error');
  assert.match(
    outcome.error.message,
    /^file: its metadata cannot be removed, because it ends within a segment; .*strip_metadata/,
  );
  assert.ok((await store(cut, false)).ok);
});

test('4.1.2 an SVG that takes too much CPU time is refused in words', async () => {
  const cell = createCell({ cpuMs: 100 });
  const values = `<rect><animate attributeName="fill" values="${'rgb(1,2,3);'.repeat(400_000)}"/></rect>`;
  await using owner = new AsyncDisposableStack();
  const receiver = owner.use(receiveFile(blobs, 'slow.svg', uploader.accountId));
  await receiver.write(Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${values}</svg>`));
  const file = await receiver.finish();
  const { clean } = createFileCleaner({ blobs, cell });
  try {
    await assert.rejects(clean(uploader, 'image/svg+xml', file, owner), {
      code: 'validation_error',
      message: 'file: the SVG takes more than 0.1 s of CPU time to sanitize',
    });
  } finally {
    await cell.close();
  }
});

test('a picture whose size is in its first bytes needs no cell; any other is measured there', async () => {
  const cell = createCell();
  await cell.close();
  const { measure } = createFileCleaner({ blobs, cell });
  const measured = async (type: ImageType, bytes: Buffer) => {
    await using receiver = receiveFile(blobs, 'picture', uploader.accountId);
    await receiver.write(bytes);
    return (await measure(uploader, type, await receiver.finish())).dimensions;
  };
  const picture = sharp({ create: { width: 300, height: 200, channels: 3, background: 'red' } });
  assert.deepEqual(await measured('image/png', await picture.png().toBuffer()), { width: 300, height: 200 });
  const small = await picture.jpeg().toBuffer();
  assert.deepEqual(await measured('image/jpeg', small), { width: 300, height: 200 });
  assert.equal(await measured('image/jpeg', small.subarray(0, 100)), undefined);
  const comment = Buffer.concat([Buffer.from('fffe2000', 'hex'), Buffer.alloc(0x2000 - 2)]);
  const long = Buffer.concat([small.subarray(0, 2), comment, small.subarray(2)]);
  await assert.rejects(measured('image/jpeg', long), /the cell is closed/);

  const outcome = await store(long, false);
  assert.ok(outcome.ok);
  assert.deepEqual([outcome.upload.row.width, outcome.upload.row.height], [300, 200]);
  const avif = await store(await picture.avif().toBuffer(), false);
  assert.ok(avif.ok);
  assert.deepEqual([avif.upload.row.width, avif.upload.row.height], [300, 200]);
});

async function unitsTaken(): Promise<number> {
  const month = monthOf(clock.now());
  return (await opened.database.tables.usage.read({ accountId: uploader.accountId, unit: 'upload', month }))
    .used;
}

test('v2 3 a file whose client has hung up is not cleaned, and not stored', async () => {
  const unitsBefore = await unitsTaken();
  const outcome = await store(photo, true, AbortSignal.abort(new Error('the client hung up')));
  assert.ok(!outcome.ok);
  assert.deepEqual(
    [outcome.error.code, outcome.error.message],
    ['validation_error', 'body: the connection closed'],
  );
  assert.equal(await unitsTaken(), unitsBefore);
  // What is stored as it was sent needs no more work.
  assert.ok((await store(photo, false, AbortSignal.abort())).ok);
});
