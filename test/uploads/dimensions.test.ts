// The size of an image, read from its header; images are made by a real encoder if there is one.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { readDimensions } from '#uploads/dimensions.ts';
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
