// The type of an upload is detected from its content. Spec 4.1.1.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { detectionBytes, detectType } from '#uploads/detect-type.ts';
import { bytes, ftyp, typeTable } from '#test/uploads/type-table.ts';

suite('4.1.1 the stored type is detected from content', () => {
  for (const [name, file, expected] of typeTable)
    test(name, () => assert.equal(detectType(file.subarray(0, detectionBytes)), expected));

  test('the result is the same for every longer prefix of the file', () => {
    const file = Buffer.concat([bytes(ftyp('mif1', 'miaf', 'avif')), Buffer.alloc(100_000)]);
    assert.equal(detectType(file), 'image/avif');
    assert.equal(detectType(file.subarray(0, detectionBytes)), 'image/avif');
  });

  test('no prefix of any file throws', () => {
    for (const [, head] of typeTable) {
      for (let length = 0; length <= head.length; length += 1) detectType(head.subarray(0, length));
    }
    assert.ok(typeTable.length > 40);
  });
});
