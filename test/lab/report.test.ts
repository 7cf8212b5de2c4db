// The frame that writes figures into the documents.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replaceSection } from '#lab/report.ts';

const titles = ['First', 'Second', 'Third'];
const page = (figures: string) =>
  `words\n<!-- begin: figures, written by npm run -->\n\n${figures}\n\n<!-- end: figures -->\nmore words\n`;

test('a section is replaced, and the others are kept', () => {
  const before = page('### First\n\nold 1\n\n### Third\n\nold 3');
  assert.equal(
    replaceSection(before, titles, 'Third', ['new 3']),
    page('### First\n\nold 1\n\n### Third\n\nnew 3'),
  );
});

test('a new section goes to its place, and one that no longer exists is dropped', () => {
  const before = page('### First\n\nold 1\n\n### Gone\n\nold\n\n### Third\n\nold 3');
  assert.equal(
    replaceSection(before, titles, 'Second', ['new 2']),
    page('### First\n\nold 1\n\n### Second\n\nnew 2\n\n### Third\n\nold 3'),
  );
});

test('a page without markers is refused', () => {
  assert.throws(() => replaceSection('words', titles, 'First', []), /lacks/);
});
