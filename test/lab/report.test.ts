// The frame that writes figures into the documents, and that they are what the last runs have found.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { lineOf, resultLines } from '#lab/prove/results.ts';
import { figuresFolder, replaceFigures, replaceSection } from '#lab/report.ts';

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

test('a proof is one line: how many of its statements hold', () => {
  const finding = (holds: boolean) => ({ what: 'w', seen: 's', holds });
  const ran = { title: 'Faults', date: '2026-11-19', seconds: 7, machine: 'm' };
  assert.equal(
    lineOf('faults', { ...ran, findings: [finding(true), finding(true)] }),
    '| [Faults](proofs/faults.json) | all 2 hold | 2026-11-19, 7 s |',
  );
  assert.match(lineOf('faults', { ...ran, findings: [finding(true), finding(false)] }), /\| 1 of 2 hold \|/);
});

test('the page of proofs has the results of their files', () => {
  const text = readFileSync(join(figuresFolder, 'proofs.md'), 'utf8');
  const names = [...text.matchAll(/\]\(proofs\/([\w-]+)\.json\)/g)].map(([, name = '']) => name);
  const files = readdirSync(join(figuresFolder, 'proofs')).map((file) => file.replace('.json', ''));
  assert.deepEqual(names.toSorted(), files.toSorted());
  const lines = resultLines(names);
  assert.equal(text, replaceFigures(text, lines));
});
