// Every proof, in the order in which they run.
import { attacksProof } from '#lab/prove/attacks.ts';
import { faults } from '#lab/prove/faults.ts';
import { fuzz } from '#lab/prove/fuzz.ts';
import { hostilePicturesProof } from '#lab/prove/hostile-pictures.ts';
import { isolationProof } from '#lab/prove/isolation.ts';
import { neighboursProof } from '#lab/prove/neighbours.ts';
import { overloadProof } from '#lab/prove/overload.ts';
import { parsersProof } from '#lab/prove/parsers.ts';
import { leaksProof } from '#lab/prove/leaks.ts';
import type { Proof } from '#lab/prove/proof.ts';
import { sandboxProof } from '#lab/prove/sandbox.ts';

export const proofs: readonly Proof[] = [
  attacksProof,
  sandboxProof,
  hostilePicturesProof,
  isolationProof,
  fuzz,
  faults,
  parsersProof,
  neighboursProof,
  overloadProof,
  leaksProof,
];
