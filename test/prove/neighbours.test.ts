// One account attacks, another goes on working: nothing of it fails or starves. The attacks are those that took the service, its
// places or its threads from everyone before; neighbours.long.test.ts has them all.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proveNeighbours } from '#lab/prove/neighbours.ts';
import { attacks } from '#lab/prove/neighbours/attacks.ts';

const telling = [
  '200 answers of 9 MB that nobody reads',
  'packets of 60 KB that are no request',
  'batches of SVGs that take long to sanitize',
  'wrong passwords and forgotten ones',
  'pages that never end',
  'window.open without end',
];

test('one account attacks what it shares with others: nothing of another account fails or starves', async (context) => {
  const chosen = attacks.filter(({ name }) => telling.includes(name));
  assert.equal(chosen.length, telling.length);
  const findings = await proveNeighbours('short', (line) => context.diagnostic(line), chosen);
  assert.deepEqual(
    findings.filter(({ holds }) => !holds).map(({ what, seen }) => `${what}: ${seen}`),
    [],
  );
});
