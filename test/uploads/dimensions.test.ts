// The size of an image, read from its header; images are made by a real encoder if there is one.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import sharp from 'sharp';
import { readDimensions } from '#uploads/dimensions.ts';
import { headerDimensions } from '#uploads/header-dimensions.ts';
import type { ImageType } from '#uploads/image-types.ts';
import { encodedTable, pngHeader, svgSizeTable } from '#test/uploads/dimension-table.ts';

suite('dimensions', () => {
  for (const [name, type, make, expected] of encodedTable) {
    test(name, async () => {
      const bytes = await make();
      assert.deepEqual(readDimensions(type, bytes), expected);
    });
  }

  for (const [attributes, expected] of svgSizeTable) {
    test(`SVG ${attributes || 'without a size'}`, () => {
      const bytes = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${attributes}><rect/></svg>`);
      assert.deepEqual(readDimensions('image/svg+xml', bytes), expected);
    });
  }

  test('the largest size that a PNG header can hold', () => {
    const size = { width: 4_294_967_295, height: 4_294_967_295 };
    assert.deepEqual(readDimensions('image/png', pngHeader(size.width, size.height)), size);
  });

  test('AVIF: the size is that of the primary item, with its rotation applied', () => {
    const properties = [size(100, 50), size(640, 480), wrap('irot', Buffer.of(1))];
    const associations = Buffer.from([0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 1, 1, 0, 2, 2, 2, 0x83]);
    const meta = Buffer.concat([
      Buffer.alloc(4),
      wrap('pitm', Buffer.from([0, 0, 0, 0, 0, 2])),
      wrap('iprp', Buffer.concat([wrap('ipco', Buffer.concat(properties)), wrap('ipma', associations)])),
    ]);
    const file = Buffer.concat([wrap('ftyp', Buffer.from('avif\0\0\0\0mif1')), wrap('meta', meta)]);
    assert.deepEqual(readDimensions('image/avif', file), { width: 480, height: 640 });
  });

  const segments = (count: number): Buffer =>
    Buffer.concat(
      Array.from({ length: count }, () =>
        Buffer.concat([Buffer.from('ffe2ffff', 'hex'), Buffer.alloc(0xfffd)]),
      ),
    );

  test('JPEG: the size is found behind metadata and a profile of any length', async () => {
    const picture = sharp({ create: { width: 37, height: 21, channels: 3, background: 'red' } });
    const jpeg = await picture.withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const exifEnd = 4 + jpeg.readUInt16BE(4);
    assert.equal(jpeg.readUInt16BE(2), 0xffe1);
    for (const count of [0, 1, 4, 9, 100]) {
      const [start, rest] = [jpeg.subarray(0, exifEnd), jpeg.subarray(exifEnd)];
      for (const bytes of [
        Buffer.concat([start, segments(count), rest]),
        Buffer.concat([start.subarray(0, 2), segments(count), start.subarray(2), rest]),
      ]) {
        const shown = { width: 21, height: 37 };
        assert.deepEqual(readDimensions('image/jpeg', bytes), shown, `${count} segments`);
        const inHead = headerDimensions('image/jpeg', bytes.subarray(0, 4_096), false);
        assert.deepEqual(inHead, count === 0 ? shown : undefined);
        const atFirst = readDimensions('image/jpeg', bytes.subarray(0, 256 * 1024), false);
        assert.deepEqual(atFirst, count < 4 ? shown : undefined, `the beginning with ${count} segments`);
      }
    }
  });

  test('PNG: the orientation is found behind a long text', async () => {
    const picture = sharp({ create: { width: 37, height: 21, channels: 3, background: 'red' } });
    const png = await picture.withMetadata({ orientation: 6 }).png().toBuffer();
    for (const length of [0, 5_000, 300_000, 3_000_000]) {
      const text = Buffer.alloc(length + 12);
      text.writeUInt32BE(length);
      text.write('tEXt', 4, 'latin1');
      const bytes = Buffer.concat([png.subarray(0, 33), text, png.subarray(33)]);
      const shown = { width: 21, height: 37 };
      assert.deepEqual(readDimensions('image/png', bytes), shown, `${length} bytes`);
      const inHead = headerDimensions('image/png', bytes.subarray(0, 4_096), false);
      assert.deepEqual(inHead, length === 0 ? shown : undefined);
    }
  });

  test('AVIF: the size is found behind the data', () => {
    const meta = Buffer.concat([
      Buffer.alloc(4),
      wrap('pitm', Buffer.from([0, 0, 0, 0, 0, 1])),
      wrap('iprp', wrap('ipco', size(640, 480))),
    ]);
    for (const length of [10, 4_060, 5_000, 262_100, 3_000_000]) {
      const start = [wrap('ftyp', Buffer.from('avif\0\0\0\0mif1')), wrap('mdat', Buffer.alloc(length))];
      const bytes = Buffer.concat([...start, wrap('meta', meta)]);
      assert.deepEqual(readDimensions('image/avif', bytes), { width: 640, height: 480 }, `${length} bytes`);
    }
  });

  test('a file without an end is given up after 10,000 parts, or at its end', () => {
    const endless: [ImageType, Buffer][] = [
      [
        'image/jpeg',
        Buffer.concat([Buffer.from('ffd8', 'hex'), Buffer.alloc(2_000_000, Buffer.from('fffe0002', 'hex'))]),
      ],
      ['image/jpeg', Buffer.concat([Buffer.from('ffd8', 'hex'), Buffer.alloc(2_000_000, 0xff)])],
      ['image/avif', Buffer.alloc(2_000_000, wrap('free', Buffer.alloc(0)))],
      [
        'image/avif',
        Buffer.concat([
          wrap('ftyp', Buffer.alloc(8)),
          Buffer.from('00000001', 'hex'),
          Buffer.from('mdat'),
          Buffer.alloc(8, 0x7f),
        ]),
      ],
      ['image/svg+xml', Buffer.alloc(2_000_000, ' ')],
    ];
    for (const [type, bytes] of endless) assert.equal(readDimensions(type, bytes), undefined, type);
    const chunks = Buffer.concat([pngHeader(3, 2), Buffer.alloc(4 + 2_000_000)]);
    assert.deepEqual(readDimensions('image/png', chunks), { width: 3, height: 2 });
    const cut = Buffer.concat([Buffer.from('ffd8', 'hex'), segments(9)]);
    assert.equal(readDimensions('image/jpeg', cut), undefined);
  });

  test('truncated and mangled files never throw and never hang', async () => {
    let undefinedAnswers = 0;
    for (const [, type, make] of encodedTable) {
      const bytes = (await make()).subarray(0, 600);
      for (let length = 0; length < bytes.length; length += 1) {
        if (readDimensions(type, bytes.subarray(0, length)) === undefined) undefinedAnswers += 1;
        const mangled = Buffer.from(bytes);
        mangled[length] = mangled[length]! ^ 0xff;
        mangled[(length * 7) % bytes.length] = 0;
        readDimensions(type, mangled);
      }
    }
    assert.ok(undefinedAnswers > 100);
  });
});

function wrap(type: string, body: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(8 + body.length, 0);
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, body]);
}

function size(width: number, height: number): Buffer {
  const body = Buffer.alloc(12);
  body.writeUInt32BE(width, 4);
  body.writeUInt32BE(height, 8);
  return wrap('ispe', body);
}
