// Hostile and damaged pictures before the removal of metadata: refused with one kind of error or cleaned so that nothing is left, and
// never for long without a turn for others.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { UnreadablePicture } from '#uploads/metadata/cleaning.ts';
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
async function cleanOrRefused(type: CleanableType, bytes: Buffer): Promise<'clean' | 'refused'> {
  try {
    const { pieces } = await cleanPicture(type, bytes);
    const again = await cleanPicture(type, Buffer.concat(pieces));
    assert.equal(again.isChanged, false, 'something was left');
    return 'clean';
  } catch (error) {
    if (!(error instanceof UnreadablePicture)) throw error;
    return 'refused';
  }
}

test('cut off at any place: no metadata is left, or the picture is refused', async () => {
  for (const [type, bytes] of files) {
    const step = Math.ceil(bytes.length / 200);
    for (let length = 16; length < bytes.length; length += step) {
      const cut = bytes.subarray(0, length);
      const outcome = await cleanOrRefused(type, cut);
      if (outcome === 'refused') continue;
      const { pieces } = await cleanPicture(type, cut);
      assert.doesNotMatch(
        Buffer.concat(pieces).toString('latin1'),
        plantedText,
        `${type} of ${length} bytes`,
      );
    }
  }
});

test('damaged at random places: nothing else is thrown', async () => {
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
    if ((await cleanOrRefused(type, bytes)) === 'clean') cleaned += 1;
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
    test(`AVIF: ${what}`, async () => {
      await assert.rejects(cleanPicture('image/avif', bytes), (error) => {
        assert.ok(error instanceof UnreadablePicture);
        assert.match(error.message, message);
        return true;
      });
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
    test(`AVIF: ${what}`, async () => {
      const cleaned = await cleanPicture('image/avif', bytes);
      assert.deepEqual([...cleaned.found], found);
      const after = Buffer.concat(cleaned.pieces);
      assert.equal(after.length, bytes.length);
      const text = Buffer.concat([after.subarray(0, data), after.subarray(data + 64)]).toString('latin1');
      assert.doesNotMatch(text, plantedText);
      assert.equal((await cleanPicture('image/avif', after)).isChanged, false);
    });
  }

  test('AVIF: what no item names, before, between and behind those that are named', async () => {
    const named = places(place(1, data + 16, 8), place(2, data + 32, 8));
    const bytes = avif(items(item(1, 'av01'), item(2, 'av01')), named);
    const { found, pieces } = await cleanPicture('image/avif', bytes);
    assert.deepEqual([...found], ['text']);
    const after = Buffer.concat(pieces);
    const gap = (length: number) => '\0'.repeat(length);
    assert.equal(after.toString('latin1', data, data + 64), `${gap(16)}planted ${gap(8)}planted ${gap(24)}`);
    assert.equal((await cleanPicture('image/avif', after)).isChanged, false);
  });

  test('EXIF whose directories point at each other ends', async () => {
    const tiff = Buffer.from(
      '4d4d002a00000008000287690004000000010000000888250004000000010000000800000008',
      'hex',
    );
    const segment = Buffer.concat([Buffer.from('ffe1002e', 'hex'), Buffer.from('Exif\0\0'), tiff]);
    const jpeg = Buffer.concat([Buffer.from('ffd8', 'hex'), segment, Buffer.from('ffd9', 'hex')]);
    assert.equal(await cleanOrRefused('image/jpeg', jpeg), 'clean');
  });

  test('more parts than any picture has are refused', async () => {
    const comments = Buffer.from('fffe0002'.repeat(100_001), 'hex');
    await assert.rejects(
      cleanPicture('image/jpeg', Buffer.concat([Buffer.from('ffd8', 'hex'), comments])),
      /parts/,
    );
  });
});

test('others have their turn while a large picture is read', async () => {
  const head = Buffer.from('ffd8ffda000c03010002110311003f00', 'hex');
  const scan = Buffer.from('ff00'.repeat(5_000_000), 'hex');
  let [turns, isDone] = [0, false];
  const count = (): void => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  count();
  await cleanPicture('image/jpeg', Buffer.concat([head, scan]));
  isDone = true;
  assert.ok(turns > 3, `${turns} turns of the event loop`);
});
