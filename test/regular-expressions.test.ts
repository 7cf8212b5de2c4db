// Every regular expression of the service and the clients takes linear time on any text: one that does not would let a single request
// block the event loop for seconds. regular-expressions.nightly.test.ts proves the list anew.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  allowed,
  expressionsOf,
  findExpressions,
  isLinear,
  isVulnerable,
  nameOf,
  readProven,
} from '#test/support/regular-expressions.ts';

const expressions = findExpressions();

test('the search finds every way to write a regular expression', () => {
  const text = `
    const a = /a+/g; const b = new RegExp('b+', 'i'); const c = RegExp(\`c\${a}\`);
    a.source.match('d'); text.search(pattern); text.matchAll(new globalThis.RegExp('e'));
    const f = Type.String({ pattern: '^f$' }); const g = { pattern };`;
  const found = expressionsOf('example.ts', text).map(({ pattern, flags }) => [pattern, flags]);
  assert.deepEqual(found, [
    ['a+', 'g'],
    ['b+', 'i'],
    [undefined, ''],
    ['d', ''],
    [undefined, ''],
    ['e', ''],
    ['^f$', ''],
  ]);
});

test('the proof rejects an expression that takes quadratic time', () => {
  for (const pattern of [String.raw`\s*;\s*`, '[. ]+$', '(a|a)*b', String.raw`^(\/[^\s?]*)\S* HTTP`]) {
    assert.ok(isVulnerable(pattern), pattern);
    assert.equal(isLinear(pattern, ''), false, pattern);
  }
});

test('every regular expression is linear: it is in the list of those that were proven, or can be proven now', () => {
  const proven = new Set(readProven());
  const unproven = expressions
    .filter(({ place }) => !(place in allowed))
    .filter(
      ({ pattern, flags }) =>
        pattern === undefined || !(proven.has(nameOf({ pattern, flags })) || isLinear(pattern, flags)),
    )
    .map(({ place }) => place);
  assert.deepEqual(unproven, []);
  assert.ok(expressions.length > 100, `found only ${expressions.length}`);
});

test('the list of proven expressions has none that is gone; npm run document writes it', () => {
  const names = new Set(expressions.map(nameOf));
  assert.deepEqual(
    readProven().filter((name) => !names.has(name)),
    [],
  );
});

test('every allowed unproven expression still exists', () => {
  const places = new Set(expressions.map(({ place }) => place));
  assert.deepEqual(
    Object.keys(allowed).filter((place) => !places.has(place)),
    [],
  );
});
