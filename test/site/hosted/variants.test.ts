// GET /f/<slug> and /s/<id> with width and format: variants of pictures, made once, with their headers, and gone with the original. v2 3.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { crc32 } from 'node:zlib';
import sharp, { type Metadata } from 'sharp';
import type { Blobs } from '#storage/blobs.ts';
import { createUploadEvents } from '#uploads/upload-events.ts';
import { createHostedUploads } from '#uploads/hosted-uploads.ts';
import { createHostedRenders } from '#renders/hosted-renders.ts';
import { openBlobs } from '#roof/engines.ts';
import * as images from '#test/support/images.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { bearer, post } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { uploadOne, type Uploaded } from '#test/support/uploading.ts';

let service: TestService;
let pages: PageServer;
let [uploadBlobs, renderBlobs] = [{} as Blobs, {} as Blobs];
let [key, accountId] = ['', ''];
let photo: Uploaded;
const bytesOf = new Map<string, Buffer>();
before(async () => {
  pages = await startPageServer();
  service = await startService({ EGRESS_ALLOW: pages.host });
  uploadBlobs = await openBlobs(service.config, 'uploads');
  renderBlobs = await openBlobs(service.config, 'renders');
  ({ key, accountId } = await service.newKey());
  photo = await upload('photo.png', await noise(300, 200).png().toBuffer());
});
after(async () => {
  await service.stop();
  await pages.close();
});

const noise = (width: number, height: number) =>
  sharp({
    create: {
      width,
      height,
      channels: 3,
      background: 'black',
      noise: { type: 'gaussian', mean: 120, sigma: 60 },
    },
  });

async function upload(
  filename: string,
  bytes: Buffer,
  fields: Record<string, string> = {},
): Promise<Uploaded> {
  const uploaded = await uploadOne(service.origin, key, { bytes, filename, fields });
  bytesOf.set(uploaded.id, bytes);
  return uploaded;
}

const acceptsWebp = { accept: 'image/avif,image/webp,*/*' };

async function get(url: string, query: string, headers: Record<string, string> = acceptsWebp) {
  const response = await fetch(`${url}?${query}`, { headers });
  return {
    status: response.status,
    headers: response.headers,
    body: Buffer.from(await response.arrayBuffer()),
  };
}

async function pictureAt(url: string, query: string, headers?: Record<string, string>): Promise<Metadata> {
  const { status, body, headers: given } = await get(url, query, headers);
  assert.equal(status, 200, body.toString('utf8', 0, 300));
  const metadata = await sharp(body).metadata();
  assert.equal(given.get('content-type'), `image/${metadata.format}`);
  return metadata;
}

async function keysIn(blobs: Blobs): Promise<string[]> {
  const keys: string[] = [];
  for await (const batch of blobs.list()) keys.push(...batch.map((blob) => blob.key));
  return keys;
}

const variantsOf = async ({ id }: { id: string }, blobs = uploadBlobs): Promise<string[]> =>
  (await keysIn(blobs))
    .filter((blobKey) => blobKey.startsWith(`${id}_`))
    .map((blobKey) => blobKey.slice(id.length + 1));

describe('10.10 what is asked for', () => {
  const wrong: [query: string, message: RegExp][] = [
    [
      'width=100',
      /^width: must be one of 32, 64, 128, 256, 384, 512, 640, 768, 1024, 1280, 1536, 1920, 2560$/,
    ],
    ['width=', /^width: must be one of/],
    ['width=064', /^width: must be one of/],
    ['width=64&width=64', /^width: must be one of/],
    ['width=64&format=avif', /^format: must be one of auto, webp, jpeg, png$/],
    ['format=', /^format: must be one of/],
  ];
  for (const [query, message] of wrong) {
    test(`422 ${query}`, async () => {
      const { status, body, headers } = await get(photo.fileAt, query);
      const { error } = JSON.parse(body.toString()) as { error: Record<string, string> };
      // Version 1 has no variants: the error says as much as those of version 2.
      const { message: text = '', ...rest } = error;
      assert.deepEqual(
        { status, ...rest },
        {
          status: 422,
          code: 'validation_error',
          field: text.split(':', 1)[0],
          retryable: false,
          request_id: headers.get('x-request-id'),
        },
      );
      assert.match(text, message);
      assert.equal(headers.get('cache-control'), 'no-store');
    });
  }

  test('each format and width, in proportion', async () => {
    const sizeOf = ({ format, width, height }: Metadata) => [format, width, height];
    assert.deepEqual(sizeOf(await pictureAt(photo.fileAt, 'width=64&format=webp')), ['webp', 64, 43]);
    assert.deepEqual(sizeOf(await pictureAt(photo.fileAt, 'width=128&format=jpeg')), ['jpeg', 128, 85]);
    assert.deepEqual(sizeOf(await pictureAt(photo.fileAt, 'width=32&format=png')), ['png', 32, 21]);
    assert.deepEqual(sizeOf(await pictureAt(photo.fileAt, 'format=jpeg')), ['jpeg', 300, 200]);
    assert.deepEqual(sizeOf(await pictureAt(`${photo.fileAt}.png`, 'width=64&format=webp')), [
      'webp',
      64,
      43,
    ]);
  });

  test('auto: WebP for those who say that they know it, and caches are told', async () => {
    for (const query of ['width=64', 'width=64&format=auto']) {
      const webp = await get(photo.fileAt, query);
      assert.deepEqual(
        [webp.headers.get('content-type'), webp.headers.get('vary')],
        ['image/webp', 'accept'],
      );
      for (const accept of ['*/*', 'image/webp;q=0, image/*']) {
        const other = await get(photo.fileAt, query, { accept });
        assert.deepEqual(
          [other.headers.get('content-type'), other.headers.get('vary')],
          ['image/png', 'accept'],
        );
      }
    }
    assert.equal((await get(photo.fileAt, 'width=64&format=webp')).headers.get('vary'), null);
  });

  test('never larger than the original, which is not encoded again in its own format', async () => {
    const { body, headers } = await get(photo.fileAt, 'width=2560&format=png');
    assert.deepEqual(body, bytesOf.get(photo.id));
    assert.equal(headers.get('etag'), (await get(photo.fileAt, '')).headers.get('etag'));
    assert.equal((await pictureAt(photo.fileAt, 'width=512&format=webp')).width, 300);
    assert.equal((await pictureAt(photo.fileAt, 'width=2560&format=webp')).width, 300);
    const stored = await variantsOf(photo);
    assert.ok(
      stored.includes('full_webp') && !stored.some((name) => /^(512|2560)/.test(name)),
      stored.join(' '),
    );
  });
});

test('10.10 turned as the original says, and without its metadata', async () => {
  const bytes = readFileSync(join(import.meta.dirname, '..', '..', 'fixtures', 'metadata', 'photo.jpg'));
  const { fileAt } = await upload('camera.jpg', bytes);
  const { body } = await get(fileAt, 'width=32&format=png');
  const { width, height, orientation, exif, xmp, iptc } = await sharp(body).metadata();
  assert.deepEqual(
    [width, height, orientation, exif, xmp, iptc],
    [32, 48, undefined, undefined, undefined, undefined],
  );
  const [wanted, made] = await Promise.all(
    [sharp(bytes).autoOrient().resize({ width: 32 }), sharp(body)].map((picture) =>
      picture.toColourspace('srgb').removeAlpha().raw().toBuffer(),
    ),
  );
  assert.equal(made?.length, wanted?.length);
  const difference = made!.reduce((sum, value, at) => sum + Math.abs(value - wanted![at]!), 0) / made!.length;
  assert.ok(difference < 3, `differs by ${difference} on average`);
});

test('10.10 a transparent picture stays so, and is on white in a JPEG', async () => {
  const { fileAt } = await upload(
    'clear.png',
    await sharp({ create: { width: 90, height: 90, channels: 4, background: '#0000' } })
      .png()
      .toBuffer(),
  );
  assert.equal((await pictureAt(fileAt, 'width=64&format=webp')).hasAlpha, true);
  const { body } = await get(fileAt, 'width=64&format=jpeg');
  assert.deepEqual([...(await sharp(body).raw().toBuffer()).subarray(0, 3)], [255, 255, 255]);
});

describe('10.10 served as they are', () => {
  const frames = Buffer.alloc(64 * 128 * 3, 200);
  frames.fill(20, 64 * 64 * 3);
  const moving = () => sharp(frames, { raw: { width: 64, height: 128, channels: 3, pageHeight: 64 } });
  const rows: [name: string, make: () => Promise<Buffer> | Buffer][] = [
    [
      'moving.gif',
      () =>
        moving()
          .gif({ delay: [100, 100] })
          .toBuffer(),
    ],
    [
      'moving.webp',
      () =>
        moving()
          .webp({ delay: [100, 100] })
          .toBuffer(),
    ],
    ['moving.png', async () => animated(await images.png(64, 64))],
    ['vector.svg', () => images.svg()],
  ];
  for (const [name, make] of rows) {
    test(name, async () => {
      const bytes = await make();
      const { fileAt, id } = await upload(name, bytes);
      const plain = await get(fileAt, '');
      for (let round = 0; round < 2; round += 1) {
        const { status, body, headers } = await get(fileAt, 'width=32&format=webp');
        assert.equal(status, 200);
        assert.deepEqual(body, plain.body);
        assert.equal(headers.get('content-type'), plain.headers.get('content-type'));
      }
      assert.deepEqual(await variantsOf({ id }), []);
    });
  }
});

describe('10.10 headers', () => {
  test('of a file: caching, ranges, conditions, name, and no scripts', async () => {
    const first = await get(photo.fileAt, 'width=64&format=jpeg');
    const etag = first.headers.get('etag') ?? '';
    assert.match(etag, /^"[\w-]{20,}"$/);
    assert.equal(first.headers.get('cache-control'), 'public, max-age=300, must-revalidate');
    assert.equal(first.headers.get('content-length'), String(first.body.length));
    assert.match(first.headers.get('content-security-policy') ?? '', /sandbox/);
    assert.match(first.headers.get('content-disposition') ?? '', /^inline; filename="photo\.jpg"/);
    assert.notEqual(etag, (await get(photo.fileAt, 'width=64&format=png')).headers.get('etag'));
    assert.equal((await get(photo.fileAt, 'width=64&format=jpeg', { 'if-none-match': etag })).status, 304);
    const part = await get(photo.fileAt, 'width=64&format=jpeg', { range: 'bytes=2-5' });
    assert.deepEqual([part.status, part.body], [206, first.body.subarray(2, 6)]);
    const download = await get(photo.fileAt, 'width=64&format=jpeg&download=1');
    assert.match(download.headers.get('content-disposition') ?? '', /^attachment; filename="photo\.jpg"/);
    const head = await fetch(`${photo.fileAt}?width=64&format=jpeg`, { method: 'HEAD' });
    assert.deepEqual([head.status, head.headers.get('etag')], [200, etag]);
  });

  test('not cached past the expiry of the original', async () => {
    const { fileAt } = await upload('soon.png', await noise(80, 80).png().toBuffer(), { expires_in: '60' });
    const { headers } = await get(fileAt, 'width=32&format=png');
    const [, seconds] = /max-age=(\d+),/.exec(headers.get('cache-control') ?? '') ?? [];
    assert.ok(Number(seconds) > 0 && Number(seconds) <= 60, `${seconds} s`);
  });
});

describe('10.10 where no variant can be made', () => {
  /** A head and nothing else, so that the decoder refuses it, and the header of a picture that would not fit into a WebP. */
  const rows: [what: string, make: () => Buffer | Promise<Buffer>][] = [
    [
      'the decoder refuses the picture',
      () => Buffer.concat([bytesOf.get(photo.id)!.subarray(0, 20), Buffer.alloc(99)]),
    ],
    ['it has more pixels than are decoded', () => withSize(bytesOf.get(photo.id)!, 30_000)],
  ];
  for (const [what, make] of rows) {
    test(`${what}: a format is a 422, and without one it is the original`, async () => {
      const bytes = await make();
      const { fileAt } = await upload('broken.png', bytes);
      assert.equal((await get(fileAt, 'width=64&format=png')).status, 422);
      for (const query of ['width=64', 'format=auto', 'width=1280&format=auto']) {
        const { status, headers, body } = await get(fileAt, query);
        assert.deepEqual(
          [status, headers.get('content-type'), headers.get('vary')],
          [200, 'image/png', 'accept'],
          query,
        );
        assert.deepEqual(body, bytes, query);
      }
    });
  }
});

test('10.10 many who ask at once get the same bytes', async () => {
  const { fileAt, id } = await upload('asked.png', await noise(640, 480).png().toBuffer());
  const answers = await Promise.all(Array.from({ length: 12 }, () => get(fileAt, 'width=256&format=webp')));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.equal(new Set(answers.map(({ body }) => body.toString('base64'))).size, 1);
  assert.deepEqual(await variantsOf({ id }), ['256_webp']);
});

describe('10.10 deleted with the original', () => {
  test('an upload, by its delete URL', async () => {
    const gone = await upload('gone.png', await noise(90, 90).png().toBuffer());
    await get(gone.fileAt, 'width=32&format=png');
    await get(gone.fileAt, 'width=64&format=webp');
    assert.equal((await variantsOf(gone)).length, 2);
    assert.equal((await fetch(gone.deleteAt, { method: 'DELETE' })).status, 200);
    assert.equal((await get(gone.fileAt, 'width=32&format=png')).status, 404);
    assert.deepEqual(await variantsOf(gone), []);
    assert.deepEqual(
      await service.database.tables.variants.byKeys([`${gone.id}_32_png`, `${gone.id}_64_webp`]),
      [],
    );
  });

  test('a screenshot has them too, and takes them along', async () => {
    const url = pages.route('/page', '<body style="background: teal">');
    const { body } = await post<{ id: string }>(`${service.origin}/api/v1/screenshot`, {
      body: JSON.stringify({ url, response: 'json' }),
      headers: { ...bearer(key), 'content-type': 'application/json' },
    });
    const at = `${service.origin}/s/${body.id}`;
    assert.equal((await pictureAt(at, 'width=256')).width, 256);
    assert.equal((await pictureAt(`${at}.png`, 'width=64&format=jpeg')).width, 64);
    assert.equal((await get(at, 'width=65')).status, 422);
    assert.equal((await variantsOf(body, renderBlobs)).length, 2);
    const { database, clock } = service;
    const hostedRenders = createHostedRenders({ database, clock, blobs: renderBlobs });
    assert.deepEqual(await hostedRenders.deleteOwned(accountId, [body.id]), [body.id]);
    assert.equal((await get(at, 'width=256')).status, 404);
    assert.deepEqual(await variantsOf(body, renderBlobs), []);
  });

  test('and every one of an account', async () => {
    const uploads = createHostedUploads({
      database: service.database,
      clock: service.clock,
      blobs: uploadBlobs,
      events: createUploadEvents({ linksOf: () => ({}), wake: () => {} }),
      access: { decide: () => 'open' },
    });
    assert.ok((await variantsOf(photo)).length > 3);
    await uploads.purgeAccount(accountId);
    assert.deepEqual(await keysIn(uploadBlobs), []);
  });
});

/** Announces two frames and has none: enough for what is decided before decoding. */
/** With a second frame, of the same pixels. */
function animated(png: Buffer): Buffer {
  const numbers = (...values: number[]): Buffer => {
    const bytes = Buffer.alloc(4 * values.length);
    values.forEach((value, place) => bytes.writeUInt32BE(value, 4 * place));
    return bytes;
  };
  const chunk = (type: string, data: Buffer): Buffer => {
    const named = Buffer.concat([Buffer.from(type), data]);
    return Buffer.concat([numbers(data.length), named, numbers(crc32(named))]);
  };
  const frame = (sequence: number): Buffer =>
    chunk('fcTL', Buffer.concat([numbers(sequence, 64, 64, 0, 0), Buffer.from('0001000a0000', 'hex')]));
  const [pixelsAt, endAt] = [png.indexOf('IDAT') - 4, png.length - 12];
  const pixels = png.subarray(pixelsAt + 8, pixelsAt + 8 + png.readUInt32BE(pixelsAt));
  return Buffer.concat([
    png.subarray(0, 33),
    chunk('acTL', numbers(2, 0)),
    png.subarray(33, pixelsAt),
    frame(0),
    png.subarray(pixelsAt, endAt),
    frame(1),
    chunk('fdAT', Buffer.concat([numbers(2), pixels])),
    png.subarray(endAt),
  ]);
}

/** The same picture with another size in its header. */
function withSize(png: Buffer, side: number): Buffer {
  const header = Buffer.from(png.subarray(12, 29));
  header.writeUInt32BE(side, 4);
  header.writeUInt32BE(side, 8);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(header));
  return Buffer.concat([png.subarray(0, 12), header, checksum, png.subarray(33)]);
}
