// The list of regular expressions that were proven linear, proven again from the beginning.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findExpressions, isLinear, nameOf, readProven } from '#test/support/regular-expressions.ts';

test('every regular expression of the list is linear', () => {
  const listed = new Set(readProven());
  const expressions = findExpressions().filter((expression) => listed.has(nameOf(expression)));
  assert.ok(expressions.length >= listed.size && listed.size > 100);
  const wrong = expressions.filter(
    ({ pattern, flags }) => pattern === undefined || !isLinear(pattern, flags),
  );
  assert.deepEqual(wrong, []);
});
