// One attack of each class: connections, requests, and pages. All of them are in neighbours.nightly.test.ts.
import { neighboursProof, proveNeighbours } from '#lab/prove/neighbours.ts';
import { attacks } from '#lab/prove/neighbours/attacks.ts';
import { proveShort } from '#lab/prove/prove-short.ts';

// Pages first: the memory of the service is limited more tightly for them, and other attacks leave it larger.
const names = [
  '30 answers whose Connection header has 60,000 names',
  'pages that take memory',
  '200 answers of 9 MB that nobody reads',
  'packets of 60 KB that are no request',
  'batches of SVGs that take long to sanitize',
];
const chosen = names.map((name) => {
  const attack = attacks.find((candidate) => candidate.name === name);
  if (!attack) throw new Error(`there is no attack "${name}"`);
  return attack;
});

proveShort({ ...neighboursProof, run: (size, say) => proveNeighbours(size, say, chosen) });
