import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashSecret, isWellFormedApiKey, newApiKey, newSlug, sameHash } from '#core/ids.ts';

test('5.2 an API key has the service prefix, 43 characters of secret and 6 of checksum', () => {
  const key = newApiKey();
  assert.match(key, /^tt_[0-9A-Za-z]{49}$/);
  assert.ok(isWellFormedApiKey(key));
});

test('a key with one character changed is refused without a look-up', () => {
  const key = newApiKey();
  for (let at = 3; at < key.length; at += 1) {
    const other = key[at] === 'a' ? 'b' : 'a';
    assert.equal(isWellFormedApiKey(key.slice(0, at) + other + key.slice(at + 1)), false, `character ${at}`);
  }
});

test('keys of another shape are refused', () => {
  for (const key of [
    '',
    'tt_',
    'sk_' + newApiKey().slice(3),
    newApiKey() + 'x',
    newApiKey().slice(0, -1),
    ` ${newApiKey()}`,
  ]) {
    assert.equal(isWellFormedApiKey(key), false, key);
  }
});

test('slugs use the whole alphabet evenly', () => {
  const counts = new Map<string, number>();
  for (let round = 0; round < 20_000; round += 1) {
    for (const letter of newSlug()) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  }
  const mean = (20_000 * 12) / 62;
  assert.equal(counts.size, 62);
  for (const [letter, count] of counts)
    assert.ok(Math.abs(count - mean) < mean * 0.15, `${letter}: ${count} of ${mean}`);
});

test('hashes compare by value and length', () => {
  assert.ok(sameHash(hashSecret('a'), hashSecret('a')));
  assert.equal(sameHash(hashSecret('a'), hashSecret('b')), false);
  assert.equal(sameHash(hashSecret('a'), ''), false);
});
