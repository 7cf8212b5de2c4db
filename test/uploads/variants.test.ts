// Variants and the processes that make them: hostile pictures, processes that die, turns of accounts, and what is remembered.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { newId } from '#core/ids.ts';
import type { Blobs } from '#storage/blobs.ts';
import { createPictureMaker, type PictureMaker } from '#uploads/pictures/picture-maker.ts';
import { startPictureProcess } from '#uploads/pictures/picture-process.ts';
import { createVariants, type Variants } from '#uploads/pictures/variants.ts';
import { originalOf, type Original, type Wanted } from '#uploads/pictures/variant.ts';
import { readDimensions } from '#uploads/dimensions.ts';
import type { ImageType } from '#uploads/image-types.ts';
import { createUploadEvents } from '#uploads/upload-events.ts';
import { createHostedUploads } from '#uploads/hosted-uploads.ts';
import * as images from '#test/support/images.ts';
import { createTestClock } from '#test/support/clock.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { blobEngines, databaseEngines, type OpenBlobs, type OpenDatabase } from '#test/storage/engines.ts';
import { accountRow, uploadRow } from '#test/storage/rows.ts';

let [opened, stored] = [{} as OpenDatabase, {} as OpenBlobs];
let store: Blobs;
let [maker, variants] = [{} as PictureMaker, {} as Variants];
const clock = createTestClock();
before(async () => {
  opened = await databaseEngines[0]!.open();
  stored = await blobEngines[0]!.open();
  store = stored.blobs;
  maker = createPictureMaker();
  variants = createVariants({ database: opened.database, blobs: store, pictureMaker: maker, clock });
});
after(async () => {
  maker.close();
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
    ['another type behind the same name', 'image/png', () => images.svg(), /another type/],
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

test(
  'the process has no environment, a limit of memory and, for root, a user of its own',
  { skip: process.platform !== 'linux' && 'reads /proc' },
  async () => {
    await variants.get(await original(await images.png(64, 64)), wanted);
    const [pid] = maker.processIds();
    const read = (name: string): string => readFileSync(`/proc/${pid}/${name}`, 'latin1');
    // The shell that sets the limit adds its folder.
    assert.equal(read('environ').replace('PWD=/\0', ''), '');
    assert.match(read('limits'), /Max data size +1342177280 +1342177280/);
    assert.match(read('cmdline'), /pictures\/main\.ts/);
    const uid = Number(/^Uid:\s+(\d+)/m.exec(read('status'))?.[1]);
    assert.equal(uid, process.getuid?.() === 0 ? 65_533 : process.getuid?.());
  },
);

test('a process that is killed is replaced, and the next picture is made', async () => {
  const own = createPictureMaker();
  const killed = createVariants({ database: opened.database, blobs: store, pictureMaker: own, clock });
  const job = killed.get(await original(await images.png(64, 64)), wanted);
  const failed = assert.rejects(job, /limits of time and memory/);
  await waitFor('a process', () => own.processIds().length > 0);
  const [pid] = own.processIds();
  process.kill(pid!, 'SIGKILL');
  await failed;
  assert.ok(await killed.get(await original(await images.png(64, 64)), wanted));
  assert.notEqual(own.processIds()[0], pid);
  own.close();
});

test('a variant whose process dies fails alone, for an hour: the others of its picture are made', async () => {
  const own = createPictureMaker();
  const killed = createVariants({ database: opened.database, blobs: store, pictureMaker: own, clock });
  const picture = await original(await images.png(64, 64));
  const failed = assert.rejects(killed.get(picture, wanted), /limits of time and memory/);
  await waitFor('a process', () => own.processIds().length > 0);
  process.kill(own.processIds()[0]!, 'SIGKILL');
  await failed;
  await assert.rejects(variants.get(picture, wanted), /limits of time and memory/);
  assert.ok(await variants.get(picture, { ...wanted, format: 'webp' }));
  await clock.advance(61 * 60 * 1000);
  assert.ok(await variants.get(picture, wanted));
  own.close();
});

test('a process is used again for the same account, and never for another', async () => {
  const own = createPictureMaker();
  const made = createVariants({ database: opened.database, blobs: store, pictureMaker: own, clock });
  const account = await newAccount();
  await made.get(await original(await images.png(64, 64), 'image/png', account), wanted);
  const [first] = own.processIds();
  await made.get(await original(await images.png(65, 64), 'image/png', account), wanted);
  assert.deepEqual(own.processIds(), [first]);
  await made.get(await original(await images.png(64, 64)), wanted);
  await made.get(await original(await images.png(64, 64)), wanted);
  const now = own.processIds();
  assert.deepEqual([now.length, now.includes(first!)], [2, false]);
  own.close();
});

test('one picture of an account at a time, and two in all', async () => {
  const { blobs, release, opens } = watchedStore();
  const own = createPictureMaker();
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
  const own = createPictureMaker();
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const asked = (network: string) =>
    own.make({
      accountId: account,
      networks: ['visitors', network],
      job: { width: 32, format: 'png' },
      sizeBytes: 1,
      // Nothing is decoded of a picture that is gone.
      open: async () => {
        order.push(network);
        await gate.promise;
        return undefined;
      },
      signal: new AbortController().signal,
    });
  const many = Array.from({ length: 20 }, () => asked('1.2.3.4'));
  const few = asked('5.6.7.8');
  await waitFor('the first', () => order.length === 1);
  gate.resolve();
  await Promise.all([...many, few]);
  assert.ok(order.indexOf('5.6.7.8') <= 2, order.join(' '));
  own.close();
});

test('a job leaves the line when all who asked for it have gone', async () => {
  const { blobs, release, opens } = watchedStore();
  const own = createPictureMaker();
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
  const slow = Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="1000"><filter id="f" x="0" y="0" width="1" height="1"><feMorphology
      operator="dilate" radius="500"/></filter>${'<rect width="1000" height="1000" filter="url(#f)"/>'.repeat(50)}</svg>`,
  );
  const process = startPictureProcess();
  const job = { width: 1280, format: 'png', isDrawing: true } as const;
  await assert.rejects(
    process.make(job, Readable.from([slow]), slow.length),
    /a drawing took more than 5000 ms/,
  );
  assert.equal(process.isGone, true);
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
