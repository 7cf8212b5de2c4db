// Variants and the workers that make them: hostile pictures, pages that die, turns of accounts, and what is remembered.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { newId } from '#core/ids.ts';
import { readBlob, type Blobs } from '#storage/blobs.ts';
import { createPictureMaker, type PictureMaker } from '#uploads/pictures/picture-maker.ts';
import { createVariants, type Variants } from '#uploads/pictures/variants.ts';
import { originalOf, type Original, type Wanted } from '#uploads/pictures/variant.ts';
import { readDimensions } from '#uploads/dimensions.ts';
import type { ImageType } from '#uploads/image-types.ts';
import { createUploadEvents } from '#uploads/upload-events.ts';
import { createHostedUploads } from '#uploads/hosted-uploads.ts';
import { startTestBrowser, type OwnTestBrowser } from '#test/support/browser.ts';
import * as images from '#test/support/images.ts';
import { createTestClock } from '#test/support/clock.ts';
import { groupMembers, workers } from '#test/support/process-table.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { blobEngines, databaseEngines, type OpenBlobs, type OpenDatabase } from '#test/storage/engines.ts';
import { accountRow, uploadRow } from '#test/storage/rows.ts';
import { taskOf } from '#test/uploads/picture-kit.ts';

let [opened, stored] = [{} as OpenDatabase, {} as OpenBlobs];
let store: Blobs;
let chromium: OwnTestBrowser;
let [maker, variants] = [{} as PictureMaker, {} as Variants];
const clock = createTestClock();
before(async () => {
  opened = await databaseEngines[0]!.open();
  stored = await blobEngines[0]!.open();
  store = stored.blobs;
  chromium = await startTestBrowser([]);
  maker = createPictureMaker(chromium);
  variants = createVariants({ database: opened.database, blobs: store, pictureMaker: maker, clock });
});
after(async () => {
  maker.close();
  await chromium.close();
  await opened.close();
  await stored.close();
});

async function newAccount(): Promise<string> {
  const account = accountRow();
  await opened.database.tables.accounts.insert(account);
  return account.id;
}

async function original(bytes: Buffer, type: ImageType = 'image/png', accountId?: string): Promise<Original> {
  const size = readDimensions(type, bytes);
  const row = uploadRow(accountId ?? (await newAccount()), {
    id: newId(),
    content_type: type,
    size_bytes: bytes.length,
    width: size?.width ?? null,
    height: size?.height ?? null,
  });
  await opened.database.tables.uploads.insert(row);
  await using spool = store.createSpool();
  await spool.write(bytes);
  await spool.commit(row.id);
  return originalOf(row);
}

const slowToDraw = Buffer.from(
  `<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="1000"><filter id="f" x="0" y="0" width="1" height="1"><feMorphology
    operator="dilate" radius="500"/></filter>${'<rect width="1000" height="1000" filter="url(#f)"/>'.repeat(50)}</svg>`,
);

const wanted: Wanted = { width: 32, format: 'png', acceptsWebp: true };

/** Counts the originals that are opened, and can hold them back. */
function watchedStore() {
  const gate = Promise.withResolvers<void>();
  let opens = 0;
  const blobs: Blobs = {
    ...store,
    async open(...given) {
      opens += 1;
      await gate.promise;
      return store.open(...given);
    },
  };
  return { blobs, release: gate.resolve, opens: () => opens };
}

function pngOf(width: number, height: number, data: Buffer): Buffer {
  const chunk = (type: string, body: Buffer): Buffer => {
    const named = Buffer.concat([Buffer.from(type), body]);
    const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(body.length);
    checksum.writeUInt32BE(crc32(named));
    return Buffer.concat([length, named, checksum]);
  };
  const header = Buffer.from('00000000000000000802000000', 'hex');
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

describe('pictures that cannot be decoded', () => {
  const rows: [what: string, type: ImageType, make: () => Promise<Buffer> | Buffer, reason: RegExp][] = [
    [
      'more pixels than are decoded',
      'image/png',
      () => pngOf(30_000, 30_000, deflateSync(Buffer.alloc(1_000_000))),
      /60 million pixels/,
    ],
    [
      'nothing but a signature',
      'image/png',
      () => Buffer.from('89504e470d0a1a0a', 'hex'),
      /cannot be decoded/,
    ],
    [
      'random bytes after a signature',
      'image/jpeg',
      () => Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.alloc(5_000, 7)]),
      /cannot be decoded/,
    ],
    ['another type behind the same name', 'image/png', () => images.svg(), /cannot be decoded/],
    [
      'too long for a WebP',
      'image/png',
      async () =>
        sharp({ create: { width: 20, height: 17_000, channels: 3, background: 'red' } })
          .png()
          .toBuffer(),
      /too long for webp/,
    ],
  ];
  for (const [what, type, make, reason] of rows) {
    test(what, async () => {
      const picture = await original(await make(), type);
      const asked: Wanted = /too long/.test(what) ? { ...wanted, format: 'webp' } : wanted;
      await assert.rejects(variants.get(picture, asked), (error: Error & { code?: string }) => {
        assert.equal(error.code, 'validation_error');
        assert.match(error.message, reason);
        return true;
      });
    });
  }

  test('a failure is remembered for all variants of the picture, for an hour', async () => {
    const picture = await original(Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(99)]));
    const { blobs, release, opens } = watchedStore();
    release();
    const own = createVariants({ database: opened.database, blobs, pictureMaker: maker, clock });
    await assert.rejects(own.get(picture, wanted), /cannot be decoded/);
    await assert.rejects(own.get(picture, { ...wanted, width: 64, format: 'webp' }), /cannot be decoded/);
    assert.equal(opens(), 1);
    await clock.advance(61 * 60 * 1000);
    await assert.rejects(own.get(picture, wanted), /cannot be decoded/);
    assert.equal(opens(), 2);
  });

  test('one that is too long for one format has the others', async () => {
    const picture = await original(
      await sharp({ create: { width: 20, height: 17_000, channels: 3, background: 'red' } })
        .png()
        .toBuffer(),
    );
    await assert.rejects(
      variants.get(picture, { width: undefined, format: 'webp', acceptsWebp: true }),
      /too long/,
    );
    assert.equal(
      (await variants.get(picture, { width: undefined, format: 'jpeg', acceptsWebp: true }))?.format,
      'jpeg',
    );
    // Without a format, one that it fits in.
    assert.equal(await variants.get(picture, { width: undefined, format: 'auto', acceptsWebp: true }), null);
  });
});

/** As a decoder is that a picture has made to crash. */
function killDecoders(): void {
  for (const { group } of workers())
    for (const { pid, command } of groupMembers(group))
      if (command.includes('--type=renderer')) process.kill(pid, 'SIGKILL');
}

test('a variant whose page dies fails alone, for an hour: the others of its picture are made', async () => {
  const own = await startTestBrowser([]);
  const ownMaker = createPictureMaker(own);
  const dying = createVariants({ database: opened.database, blobs: store, pictureMaker: ownMaker, clock });
  const picture = await original(pngOf(7_000, 7_000, deflateSync(Buffer.alloc(21_007 * 7_000))));
  let isOver = false;
  const failed = assert
    .rejects(dying.get(picture, wanted), /limits of time and memory/)
    .finally(() => (isOver = true));
  await waitFor('it fails', () => {
    killDecoders();
    return isOver;
  });
  await failed;
  await assert.rejects(variants.get(picture, wanted), /limits of time and memory/);
  assert.ok(await variants.get(picture, { ...wanted, format: 'webp' }));
  await clock.advance(61 * 60 * 1000);
  assert.ok(await variants.get(picture, wanted));
  ownMaker.close();
  await own.close();
});

test('animations are shown as they are', async () => {
  const frames = Buffer.concat([Buffer.alloc(12_288, 255), Buffer.alloc(12_288, 0)]);
  const film = sharp(frames, { raw: { width: 64, height: 128, channels: 3, pageHeight: 64 } });
  const still = sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } });
  const rows: [ImageType, Buffer, boolean][] = [
    [
      'image/gif',
      await film
        .clone()
        .gif({ delay: [100, 100] })
        .toBuffer(),
      true,
    ],
    [
      'image/webp',
      await film
        .clone()
        .webp({ delay: [100, 100] })
        .toBuffer(),
      true,
    ],
    ['image/gif', await still.clone().gif().toBuffer(), false],
    ['image/webp', await still.clone().webp().toBuffer(), false],
  ];
  for (const [type, bytes, isAnimated] of rows)
    assert.equal((await variants.get(await original(bytes, type), wanted)) === null, isAnimated, type);
});

test('what there is of a damaged picture is shown in its variants too', async () => {
  const whole = await sharp({ create: { width: 640, height: 480, channels: 3, background: '#6496c8' } })
    .jpeg()
    .toBuffer();
  const made = await variants.get(await original(whole.subarray(0, -200), 'image/jpeg'), wanted);
  const bytes = await readBlob(store, made!.key);
  const seen = await sharp(bytes).extract({ left: 0, top: 0, width: 1, height: 1 }).raw().toBuffer();
  assert.ok(
    [100, 150, 200].every((value, place) => Math.abs(seen[place]! - value) <= 1),
    seen.join(),
  );
});

test('one picture of an account at a time, and two in all', async () => {
  const { blobs, release, opens } = watchedStore();
  const own = createPictureMaker(chromium);
  const gated = createVariants({ database: opened.database, blobs, pictureMaker: own, clock });
  const busy = await newAccount();
  const bytes = await images.png(64, 64);
  const pictures = [
    await original(bytes, 'image/png', busy),
    await original(bytes, 'image/png', busy),
    await original(bytes, 'image/png', busy),
    await original(bytes),
    await original(bytes),
  ];
  const made = pictures.map((picture) => gated.get(picture, wanted));
  await waitFor('all to be asked for', () => own.load().running + own.load().waiting === pictures.length);
  await waitFor('two', () => opens() === 2);
  assert.deepEqual(own.load(), { running: 2, waiting: 3 });
  release();
  assert.equal((await Promise.all(made)).filter(Boolean).length, 5);
  own.close();
});

test('visitors of one account take turns: one who asks for many does not hold up another', async () => {
  const account = await newAccount();
  const own = createPictureMaker(chromium);
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const asked = (network: string) =>
    own.make({
      accountId: account,
      networks: ['visitors', network],
      // Nothing is decoded of a picture that is gone.
      task: taskOf(Buffer.alloc(0), {
        original: {
          async open() {
            order.push(network);
            await gate.promise;
            return undefined;
          },
        },
      }),
      signal: new AbortController().signal,
    });
  const many = Array.from({ length: 20 }, () => asked('1.2.3.4'));
  const few = asked('5.6.7.8');
  await waitFor('the first', () => order.length === 1);
  gate.resolve();
  const ends = await Promise.allSettled([...many, few]);
  assert.ok(ends.every(({ status }) => status === 'rejected'));
  assert.ok(order.indexOf('5.6.7.8') <= 2, order.join(' '));
  own.close();
});

test('a job leaves the line when all who asked for it have gone', async () => {
  const { blobs, release, opens } = watchedStore();
  const own = createPictureMaker(chromium);
  const gated = createVariants({ database: opened.database, blobs, pictureMaker: own, clock });
  const account = await newAccount();
  const bytes = await images.png(64, 64);
  const first = gated.get(await original(bytes, 'image/png', account), wanted);
  await waitFor('it is opened', () => opens() === 1);
  const second = await original(bytes, 'image/png', account);
  const visitors = [new AbortController(), new AbortController()];
  const networks = ['visitors', '1.2.3.4'];
  const asked = visitors.map(({ signal }) => gated.get(second, wanted, { networks, signal }));
  const gone = Promise.allSettled(asked);
  await waitFor('it waits', () => own.load().waiting === 1);
  visitors[0]!.abort();
  assert.deepEqual(own.load(), { running: 1, waiting: 1 });
  visitors[1]!.abort();
  assert.deepEqual(
    (await gone).map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.deepEqual(own.load(), { running: 1, waiting: 0 });
  release();
  assert.ok(await first);
  assert.ok(await gated.get(second, wanted), 'it is not remembered as a failure');
  own.close();
});

test('a drawing that would take minutes is given up long before those who wait for its place are', async () => {
  const account = await newAccount();
  const slow = await original(slowToDraw, 'image/svg+xml', account);
  await assert.rejects(variants.drawn(slow), /limits of time and memory/);
  assert.ok(await variants.drawn(await original(images.svg(), 'image/svg+xml', account)));
});

test('what is made while its upload is deleted is deleted too', async () => {
  const { blobs, release, opens } = watchedStore();
  const gated = createVariants({ database: opened.database, blobs, pictureMaker: maker, clock });
  const picture = await original(await images.png(64, 64));
  const made = gated.get(picture, wanted);
  await waitFor('it is opened', () => opens() === 1);
  const { database } = opened;
  await database.tables.uploads.markDeleted(picture.ownerId, clock.now());
  release();
  assert.equal(await made, undefined);
  assert.equal(await store.open(`${picture.key}_32_png`), undefined);
});

test('a variant without an upload is an orphan, and one with it is none', async () => {
  const picture = await original(await images.png(64, 64));
  const made = await variants.get(picture, wanted);
  const orphan = `${newId()}_32_png`;
  await using spool = store.createSpool();
  await spool.write(Buffer.from('orphan'));
  await spool.commit(orphan);
  const later = createTestClock(Date.now() + 2 * 60 * 60 * 1000);
  await createHostedUploads({
    database: opened.database,
    blobs: store,
    clock: later,
    events: createUploadEvents({ linksOf: () => ({}), wake: () => {} }),
    access: { decide: () => 'open' },
  }).sweepOrphans();
  using kept = await store.open(made!.key);
  assert.ok(kept);
  assert.equal(await store.open(orphan), undefined);
});
