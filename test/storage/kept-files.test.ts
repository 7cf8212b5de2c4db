// Files that are kept for later versions: what has a name keeps it, and nothing else gets it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { keepFiles } from '#storage/kept-files.ts';
import { temporaryFolder } from '#test/support/processes.ts';

test('a name keeps its first bytes; something else under it is neither kept nor served', async (context) => {
  const { path, remove } = await temporaryFolder();
  context.after(remove);
  const bring = (...files: [string, string][]) =>
    keepFiles(
      path,
      files.map(([name, text]) => [name, Buffer.from(text)]),
      (name) => name.endsWith('.tgz'),
      (_, kept, own) => kept.toString().toLowerCase() === own.toString().toLowerCase(),
    );
  assert.deepEqual(bring(['a-1.tgz', 'a'], ['b-1.tgz', 'b'], ['a.txt', 'a']).names.toSorted(), [
    'a-1.tgz',
    'b-1.tgz',
  ]);
  // The next version has one that is the same in other bytes, one that is another, and a new one.
  const { names, foreign, read } = bring(['a-1.tgz', 'A'], ['b-1.tgz', 'other'], ['c-1.tgz', 'c']);
  assert.deepEqual([names.toSorted(), foreign], [['a-1.tgz', 'c-1.tgz'], ['b-1.tgz']]);
  assert.equal(String(await read('a-1.tgz')), 'a');
  assert.equal(readFileSync(join(path, 'b-1.tgz'), 'utf8'), 'b');
});
