// The map that evicts the least recently used entry.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBoundedMap } from '#core/bounded-map.ts';

test('past its limit, the least recently used entry is evicted', () => {
  const map = createBoundedMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  assert.equal(map.get('a'), 1);
  map.set('c', 3);
  assert.deepEqual([map.get('a'), map.get('b'), map.get('c')], [1, undefined, 3]);
});

test('weights are counted, replaced and released', () => {
  const map = createBoundedMap<string, string>(10, ({ length }) => length);
  map.set('a', '12345');
  map.set('a', '1234567');
  map.set('b', '123');
  assert.deepEqual([map.get('a'), map.get('b')], ['1234567', '123']);
  map.delete('a');
  map.delete('missing');
  map.set('c', '1234567');
  assert.deepEqual([map.get('b'), map.get('c')], ['123', '1234567']);
  map.set('too large', '12345678901');
  assert.equal(map.get('too large'), undefined);
});
