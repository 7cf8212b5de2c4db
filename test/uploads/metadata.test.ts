// Removal of metadata: what is found, what is left, and that no pixel, profile or orientation changes. The pictures in
// test/fixtures/metadata/ were made with exiftool (test/support/camera-files.ts).
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { metadataKinds } from '#uploads/metadata/cleaning.ts';
import { cleanPicture, type CleanableType } from '#uploads/metadata/remove-metadata.ts';
import { plantedText } from '#test/support/camera-files.ts';
import * as images from '#test/support/images.ts';

const folder = join(import.meta.dirname, '..', 'fixtures', 'metadata');
const fixture = (name: string): Buffer => readFileSync(join(folder, name));

async function clean(type: CleanableType, bytes: Buffer) {
  const { pieces, isChanged, found } = cleanPicture(type, bytes);
  return { bytes: Buffer.concat(pieces), isChanged, found: metadataKinds.filter((kind) => found.has(kind)) };
}

async function assertSamePicture(before: Buffer, after: Buffer): Promise<void> {
  for (const options of [{}, { autoOrient: true }]) {
    const [left, right] = await Promise.all(
      [before, after].map((bytes) =>
        sharp(bytes, { animated: true, failOn: 'none', ...options })
          .raw()
          .toBuffer({ resolveWithObject: true }),
      ),
    );
    assert.deepEqual(right?.info, left?.info);
    assert.ok(right?.data.equals(left?.data ?? Buffer.alloc(0)), 'other pixels');
  }
  const [left, right] = await Promise.all([before, after].map((bytes) => sharp(bytes).metadata()));
  assert.equal(right?.orientation, left?.orientation);
  assert.deepEqual(right?.icc, left?.icc);
  assert.deepEqual(right?.delay, left?.delay);
  assert.deepEqual(right?.loop, left?.loop);
}

const all = ['gps', 'camera', 'time', 'author', 'thumbnail', 'text'];
const withoutThumbnail = all.filter((kind) => kind !== 'thumbnail');
const cameraFiles: [name: string, type: CleanableType, found: string[]][] = [
  ['photo.jpg', 'image/jpeg', all],
  ['progressive.jpg', 'image/jpeg', all],
  ['photo.png', 'image/png', withoutThumbnail],
  ['photo.webp', 'image/webp', withoutThumbnail],
  ['lossless.webp', 'image/webp', withoutThumbnail],
  ['photo.gif', 'image/gif', ['gps', 'time', 'author', 'text']],
  ['photo.avif', 'image/avif', withoutThumbnail],
];

describe('pictures from cameras', () => {
  for (const [name, type, found] of cameraFiles) {
    test(name, async () => {
      const original = fixture(name);
      assert.match(original.toString('latin1'), plantedText);
      const cleaned = await clean(type, original);
      assert.deepEqual(cleaned.found, found);
      assert.doesNotMatch(cleaned.bytes.toString('latin1'), plantedText);
      await assertSamePicture(original, cleaned.bytes);
      const again = await clean(type, cleaned.bytes);
      assert.deepEqual(again, { bytes: cleaned.bytes, isChanged: false, found: [] });
    });
  }

  test('the orientation is all that is left of the EXIF', async () => {
    for (const name of ['photo.jpg', 'photo.png', 'photo.webp']) {
      const { bytes } = await clean(cameraFiles.find(([other]) => other === name)![1], fixture(name));
      const { exif, xmp, iptc, orientation } = await sharp(bytes).metadata();
      assert.equal(orientation, 6, name);
      assert.ok(exif && exif.length <= 32, name);
      assert.deepEqual([xmp, iptc], [undefined, undefined], name);
      // The flags of a WebP: EXIF, and no XMP.
      if (name === 'photo.webp') assert.equal(bytes.readUInt8(20) & 0x0c, 0x08);
    }
  });
});

test('pictures without metadata are not changed', async () => {
  const made: [CleanableType, Buffer][] = [
    ['image/jpeg', await images.jpeg()],
    ['image/png', await images.png()],
    ['image/gif', await images.gif()],
    ['image/webp', await images.webp()],
    ['image/avif', await images.avif()],
  ];
  for (const [type, bytes] of made)
    assert.deepEqual(await clean(type, bytes), { bytes, isChanged: false, found: [] }, type);
});

describe('animations keep their frames and times', () => {
  const frames = Buffer.alloc(8 * 24 * 3);
  frames.forEach((_, at) => (frames[at] = (at * 7) % 256));
  const animation = () => sharp(frames, { raw: { width: 8, height: 24, channels: 3, pageHeight: 8 } });
  const options = { delay: [50, 70, 90], loop: 3 };

  test('GIF', async () => {
    const plain = await animation().gif(options).toBuffer();
    const comment = Buffer.from('21fe07706c616e74656400', 'hex');
    const original = Buffer.concat([plain.subarray(0, -1), comment, plain.subarray(-1)]);
    const cleaned = await clean('image/gif', original);
    assert.deepEqual(cleaned, { bytes: plain, isChanged: true, found: ['text'] });
    await assertSamePicture(original, cleaned.bytes);
  });

  test('GIF, also from behind its times and the number of its loops', async () => {
    const plain = await animation().gif(options).toBuffer();
    const planted = Buffer.from('\x07planted', 'latin1');
    const loopsEnd = plain.indexOf('NETSCAPE2.0') + 15;
    const timeEnd = plain.indexOf('21f904', 0, 'hex') + 7;
    assert.deepEqual([plain[loopsEnd], plain[timeEnd]], [0, 0]);
    const [first, second] = [loopsEnd, timeEnd].toSorted((left, right) => left - right);
    const original = Buffer.concat([
      plain.subarray(0, first),
      planted,
      plain.subarray(first, second),
      planted,
      plain.subarray(second),
    ]);
    assert.deepEqual(await clean('image/gif', original), { bytes: plain, isChanged: true, found: ['text'] });
  });

  test('WebP, also from inside a frame', async () => {
    const plain = await animation().webp(options).toBuffer();
    const at = plain.indexOf('ANMF');
    const size = plain.readUInt32LE(at + 4);
    const original = Buffer.concat([
      plain.subarray(0, at + 8 + size),
      Buffer.from('note\x08\0\0\0planted!', 'latin1'),
      plain.subarray(at + 8 + size),
    ]);
    original.writeUInt32LE(size + 16, at + 4);
    original.writeUInt32LE(plain.readUInt32LE(4) + 16, 4);
    assert.deepEqual(await clean('image/webp', original), { bytes: plain, isChanged: true, found: ['text'] });
  });
});

describe('where else it hides', async () => {
  const jpeg = await images.jpeg();
  const png = await images.png();
  const webp = await images.webp();
  const gif = await images.gif();
  const segment = (code: number, text: string): Buffer =>
    Buffer.concat([Buffer.from([0xff, code, 0, text.length + 2]), Buffer.from(text, 'latin1')]);
  const inJpeg = (extra: Buffer): Buffer => Buffer.concat([jpeg.subarray(0, 2), extra, jpeg.subarray(2)]);
  const chunk = (type: string, text: string): Buffer => {
    const body = Buffer.from(type + text, 'latin1');
    const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(text.length);
    checksum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, checksum]);
  };
  const inPng = (type: string, text: string): Buffer =>
    Buffer.concat([png.subarray(0, 33), chunk(type, text), png.subarray(33)]);

  const rows: [what: string, CleanableType, Buffer, found: string[]][] = [
    ['a second picture after the first', 'image/jpeg', Buffer.concat([jpeg, jpeg]), ['thumbnail']],
    ['a text after the picture', 'image/jpeg', Buffer.concat([jpeg, Buffer.from('planted')]), ['text']],
    ['zeros after the picture', 'image/jpeg', Buffer.concat([jpeg, Buffer.alloc(99)]), []],
    ['an unknown segment', 'image/jpeg', inJpeg(segment(0xe9, 'planted')), ['text']],
    ['a comment', 'image/jpeg', inJpeg(segment(0xfe, 'planted')), ['text']],
    ['bytes between segments', 'image/jpeg', inJpeg(Buffer.from('planted')), ['text']],
    ['the list of further pictures', 'image/jpeg', inJpeg(segment(0xe2, 'MPF\0planted')), ['thumbnail']],
    [
      'a text after the Adobe segment',
      'image/jpeg',
      inJpeg(segment(0xee, 'Adobe\0\x64\0\0\0\0\x01planted')),
      ['text'],
    ],
    [
      'the thumbnail of JFIF',
      'image/jpeg',
      inJpeg(segment(0xe0, 'JFIF\0\x01\x02\x01\0\x48\0\x48\x01\x01abc')),
      ['thumbnail'],
    ],
    ['the time of a PNG', 'image/png', inPng('tIME', '\x07\xe5\x02\x03\x04\x05\x06'), ['time']],
    ['its author', 'image/png', inPng('tEXt', 'Author\0Ada Planted'), ['author']],
    ['a compressed text', 'image/png', inPng('zTXt', 'Comment\0\0planted'), ['text']],
    ['an unknown chunk', 'image/png', inPng('prVt', 'planted'), ['text']],
    ['a chunk without meaning', 'image/png', inPng('oFFs', '\0\0\0\0\0\0\0\0\0'), []],
    ['after the end of a PNG', 'image/png', Buffer.concat([png, jpeg]), ['thumbnail']],
    ['after the end of a WebP', 'image/webp', Buffer.concat([webp, Buffer.from('planted')]), ['text']],
    ['after the end of a GIF', 'image/gif', Buffer.concat([gif, Buffer.from('planted')]), ['text']],
  ];
  for (const [what, type, original, found] of rows) {
    test(what, async () => {
      const cleaned = await clean(type, original);
      assert.deepEqual([cleaned.isChanged, cleaned.found], [true, found]);
      assert.doesNotMatch(cleaned.bytes.toString('latin1'), plantedText);
      assert.equal((await clean(type, cleaned.bytes)).isChanged, false);
      await assertSamePicture(original, cleaned.bytes);
    });
  }
});
