// Hostile and damaged pictures before the removal of metadata: refused with one kind of error or cleaned so that nothing is left, and
// every part of them counted.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Unreadable } from '#cell/work.ts';
import { cleanPicture, type CleanableType } from '#uploads/metadata/remove-metadata.ts';
import { plantedText } from '#test/support/camera-files.ts';
import { createRandom } from '#lab/prove/fuzz/random.ts';

const folder = join(import.meta.dirname, '..', 'fixtures', 'metadata');
const files: [CleanableType, Buffer][] = [
  ['image/jpeg', readFileSync(join(folder, 'photo.jpg'))],
  ['image/jpeg', readFileSync(join(folder, 'progressive.jpg'))],
  ['image/png', readFileSync(join(folder, 'photo.png'))],
  ['image/webp', readFileSync(join(folder, 'photo.webp'))],
  ['image/gif', readFileSync(join(folder, 'photo.gif'))],
  ['image/avif', readFileSync(join(folder, 'photo.avif'))],
];

/** Either nothing is left or the picture is refused. */
function cleanOrRefused(type: CleanableType, bytes: Buffer): 'clean' | 'refused' {
  try {
    const { pieces } = cleanPicture(type, bytes);
    const again = cleanPicture(type, Buffer.concat(pieces));
    assert.equal(again.isChanged, false, 'something was left');
    return 'clean';
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return 'refused';
  }
}

test('cut off at any place: no metadata is left, or the picture is refused', () => {
  for (const [type, bytes] of files) {
    const step = Math.ceil(bytes.length / 200);
    for (let length = 16; length < bytes.length; length += step) {
      const cut = bytes.subarray(0, length);
      const outcome = cleanOrRefused(type, cut);
      if (outcome === 'refused') continue;
      const { pieces } = cleanPicture(type, cut);
      assert.doesNotMatch(
        Buffer.concat(pieces).toString('latin1'),
        plantedText,
        `${type} of ${length} bytes`,
      );
    }
  }
});

test('damaged at random places: nothing else is thrown', () => {
  const random = createRandom(20, 1);
  let cleaned = 0;
  for (let round = 0; round < 1_500; round += 1) {
    const [type, original] = random.pick(files);
    const bytes = Buffer.from(original);
    for (let count = random.between(1, 6); count > 0; count -= 1) {
      const at = random.between(8, bytes.length - 5);
      if (random.percent(50)) bytes[at] = random.pick([0, 1, 0x7f, 0x80, 0xff, random.below(256)]);
      else bytes.writeUInt32BE(random.pick([0, 1, 7, 0xff, 0xffff, 0x7fffffff, 0xffffffff]), at);
    }
    if (cleanOrRefused(type, bytes) === 'clean') cleaned += 1;
  }
  assert.ok(cleaned > 300 && cleaned < 1_500, `${cleaned} cleaned`);
});

describe('built to deceive', () => {
  const box = (type: string, ...content: Buffer[]): Buffer => {
    const body = Buffer.concat(content);
    const head = Buffer.alloc(8);
    head.writeUInt32BE(body.length + 8);
    head.write(type, 4, 'latin1');
    return Buffer.concat([head, body]);
  };
  const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
  const item = (id: number, type: string): Buffer =>
    box('infe', hex('02000000'), Buffer.of(0, id, 0, 0), Buffer.from(`${type}\0`));
  const place = (id: number, from: number, length: number): Buffer => {
    const entry = Buffer.alloc(14);
    entry.writeUInt16BE(id, 0);
    entry.writeUInt16BE(1, 4);
    entry.writeUInt32BE(from, 6);
    entry.writeUInt32BE(length, 10);
    return entry;
  };
  const places = (...rows: Buffer[]): Buffer =>
    box('iloc', hex('00000000 4400'), Buffer.of(0, rows.length), ...rows);
  const items = (...rows: Buffer[]): Buffer =>
    box('iinf', hex('00000000'), Buffer.of(0, rows.length), ...rows);
  const brand = box('ftyp', Buffer.from('avif\0\0\0\0avif'));
  const avif = (...inside: Buffer[]): Buffer =>
    Buffer.concat([
      brand,
      box('mdat', Buffer.alloc(64, 'planted ')),
      box('meta', hex('00000000'), ...inside),
    ]);
  /** Where the content of the data begins. */
  const data = brand.length + 8;
  const two = items(item(1, 'av01'), item(2, 'Exif'));
  /** All of the data is the picture. */
  const picture = [items(item(1, 'av01')), places(place(1, data, 64))];
  const endlessExtents = box(
    'iloc',
    hex('00000000 0000 01f4'),
    ...Array.from({ length: 500 }, () => hex('0001 0000 ffff')),
  );

  const refused: [what: string, bytes: Buffer, message: RegExp][] = [
    [
      'metadata that overlaps the picture',
      avif(two, places(place(1, data, 40), place(2, data + 30, 20))),
      /same place/,
    ],
    ['metadata in the tables', avif(two, places(place(1, data, 8), place(2, 0, 16))), /among its tables/],
    ['metadata past the end', avif(two, places(place(1, data, 8), place(2, data, 9999))), /past its end/],
    [
      'an item of a size that fills the file',
      avif(two, places(place(1, data, 0), place(2, data + 8, 8))),
      /same place/,
    ],
    ['countless extents of no size', avif(two, endlessExtents), /extents/],
    [
      'countless items without a place',
      avif(two, box('iloc', hex('02000000 0000 000f4240'), Buffer.alloc(10_000_000))),
      /items/,
    ],
    [
      'several lists of properties, each as long as one may be',
      avif(...picture, box('iprp', box('ipco', box('irot')), box('ipco', box('irot')))),
      /more than one/,
    ],
    [
      'two tables of places',
      avif(two, places(place(1, data, 8)), places(place(2, data + 8, 8))),
      /more than one/,
    ],
    ['an item that is there twice', avif(items(item(1, 'av01'), item(1, 'Exif')), places()), /list of items/],
    [
      'a private property',
      avif(two, places(), box('iprp', box('ipco', box('uuid', Buffer.alloc(16))))),
      /private/,
    ],
    ['a sequence', Buffer.concat([avif(two, places()), box('moov')]), /sequence/],
    [
      'a box larger than the file',
      Buffer.concat([brand, hex('00ffffff'), Buffer.from('mdat')]),
      /wrong size/,
    ],
    [
      'a box smaller than its head',
      Buffer.concat([brand, hex('00000004'), Buffer.from('mdat')]),
      /wrong size/,
    ],
    ['no list of items', brand, /no list/],
  ];
  for (const [what, bytes, message] of refused) {
    test(`AVIF: ${what}`, () => {
      assert.throws(
        () => cleanPicture('image/avif', bytes),
        (error) => {
          assert.ok(error instanceof Unreadable);
          assert.match(error.message, message);
          return true;
        },
      );
    });
  }

  const overwritten: [what: string, bytes: Buffer, found: string[]][] = [
    [
      'two items in the same bytes',
      avif(
        items(item(1, 'av01'), item(2, 'Exif'), item(3, 'mime')),
        places(place(1, data + 60, 4), place(2, data, 56), place(3, data, 56)),
      ),
      ['text'],
    ],
    [
      'a thumbnail',
      avif(
        items(item(1, 'av01'), item(2, 'av01')),
        places(place(1, data + 56, 8), place(2, data, 56)),
        box('iref', hex('00000000'), box('thmb', hex('0002 0001 0001'))),
      ),
      ['thumbnail'],
    ],
    [
      'a private box',
      Buffer.concat([avif(...picture), box('uuid', Buffer.from('planted '.repeat(4)))]),
      ['text'],
    ],
    [
      'XMP in a private box',
      Buffer.concat([
        avif(...picture),
        box('uuid', hex('be7acfcb97a942e89c71999491e3afac'), Buffer.from('<dc:creator>planted')),
      ]),
      ['author'],
    ],
    ['free space', Buffer.concat([avif(...picture), box('free', Buffer.from('planted'))]), ['text']],
    [
      'a description among the properties',
      avif(...picture, box('iprp', box('ipco', box('udes', hex('00000000'), Buffer.from('en\0planted\0'))))),
      ['text'],
    ],
  ];
  for (const [what, bytes, found] of overwritten) {
    test(`AVIF: ${what}`, () => {
      const cleaned = cleanPicture('image/avif', bytes);
      assert.deepEqual([...cleaned.found], found);
      const after = Buffer.concat(cleaned.pieces);
      assert.equal(after.length, bytes.length);
      const text = Buffer.concat([after.subarray(0, data), after.subarray(data + 64)]).toString('latin1');
      assert.doesNotMatch(text, plantedText);
      assert.equal(cleanPicture('image/avif', after).isChanged, false);
    });
  }

  test('AVIF: what no item names, before, between and behind those that are named', () => {
    const named = places(place(1, data + 16, 8), place(2, data + 32, 8));
    const bytes = avif(items(item(1, 'av01'), item(2, 'av01')), named);
    const { found, pieces } = cleanPicture('image/avif', bytes);
    assert.deepEqual([...found], ['text']);
    const after = Buffer.concat(pieces);
    const gap = (length: number) => '\0'.repeat(length);
    assert.equal(after.toString('latin1', data, data + 64), `${gap(16)}planted ${gap(8)}planted ${gap(24)}`);
    assert.equal(cleanPicture('image/avif', after).isChanged, false);
  });

  test('EXIF whose directories point at each other ends', () => {
    const tiff = Buffer.from(
      '4d4d002a00000008000287690004000000010000000888250004000000010000000800000008',
      'hex',
    );
    const segment = Buffer.concat([Buffer.from('ffe1002e', 'hex'), Buffer.from('Exif\0\0'), tiff]);
    const jpeg = Buffer.concat([Buffer.from('ffd8', 'hex'), segment, Buffer.from('ffd9', 'hex')]);
    assert.equal(cleanOrRefused('image/jpeg', jpeg), 'clean');
  });

  test('more parts than any picture has are refused', () => {
    const comments = Buffer.from('fffe0002'.repeat(100_001), 'hex');
    assert.throws(
      () => cleanPicture('image/jpeg', Buffer.concat([Buffer.from('ffd8', 'hex'), comments])),
      /parts/,
    );
  });
});

describe('WebP: frames and their chunks', () => {
  const chunk = (type: string, data: Buffer): Buffer => {
    const head = Buffer.alloc(8);
    head.write(type, 'latin1');
    head.writeUInt32LE(data.length, 4);
    return Buffer.concat([head, data]);
  };
  const webp = (...chunks: Buffer[]): Buffer => {
    const body = Buffer.concat([Buffer.from('WEBP'), chunk('VP8X', Buffer.alloc(10)), ...chunks]);
    return chunk('RIFF', body);
  };
  const frame = (...inside: Buffer[]): Buffer => chunk('ANMF', Buffer.concat([Buffer.alloc(16), ...inside]));
  const unknown = chunk('none', Buffer.alloc(0));
  const unknowns = (count: number): Buffer => Buffer.alloc(count * unknown.length, unknown);
  const refused = (bytes: Buffer, message: RegExp) =>
    assert.throws(
      () => cleanPicture('image/webp', bytes),
      (error) => error instanceof Unreadable && message.test(error.message),
    );

  test('a frame in a frame is refused, however deep', () => {
    refused(webp(frame(frame(unknown))), /frame within a frame/);
    let nested = unknowns(1_500);
    for (let depth = 0; depth < 2_500; depth += 1) nested = frame(nested);
    refused(webp(nested), /frame within a frame/);
  });

  test('the chunks of all frames are counted together', () => {
    const frames = (each: number): Buffer =>
      Buffer.concat(Array.from({ length: 12 }, () => frame(unknowns(each))));
    assert.equal(cleanPicture('image/webp', webp(frames(8_000))).isChanged, true);
    refused(webp(frames(9_000)), /100000 parts/);
    refused(webp(unknowns(50_001), frame(unknowns(50_001))), /100000 parts/);
  });

  test('what a frame has besides its picture is removed and named, and its length is of the rest', () => {
    const picture = chunk('VP8L', Buffer.from('picture', 'latin1'));
    // Of an odd length, so that its padding is that of the frame.
    const before = webp(
      frame(chunk('XMP ', Buffer.from('<dc:creator>planted')), Buffer.of(0), unknown, picture),
      Buffer.of(0),
      frame(picture),
      Buffer.of(0),
    );
    const { pieces, found } = cleanPicture('image/webp', before);
    const after = Buffer.concat(pieces);
    assert.deepEqual([...found], ['author', 'text']);
    assert.ok(after.equals(webp(frame(picture), Buffer.of(0), frame(picture), Buffer.of(0))));
    assert.equal(cleanPicture('image/webp', after).isChanged, false);
  });
});
