// Every proof, in the order in which they run.
import { attacksProof } from '#lab/prove/attacks.ts';
import { connections } from '#lab/prove/connections.ts';
import { containerProof } from '#lab/prove/container.ts';
import { faults } from '#lab/prove/faults.ts';
import { fuzz } from '#lab/prove/fuzz.ts';
import { hostilePagesProof } from '#lab/prove/hostile-pages.ts';
import { hostilePicturesProof } from '#lab/prove/hostile-pictures.ts';
import { isolationProof } from '#lab/prove/isolation.ts';
import { neighboursProof } from '#lab/prove/neighbours.ts';
import { overloadProof } from '#lab/prove/overload.ts';
import { parsersProof } from '#lab/prove/parsers.ts';
import { leaksProof } from '#lab/prove/leaks.ts';
import type { Proof } from '#lab/prove/proof.ts';
import { renderLeaksProof } from '#lab/prove/render-leaks.ts';
import { sandboxProof } from '#lab/prove/sandbox.ts';
import { smallPiecesProof } from '#lab/prove/small-pieces.ts';
import { uploadLeaks } from '#lab/prove/upload-leaks.ts';

export const proofs: readonly Proof[] = [
  attacksProof,
  sandboxProof,
  hostilePagesProof,
  hostilePicturesProof,
  isolationProof,
  fuzz,
  faults,
  connections,
  parsersProof,
  smallPiecesProof,
  neighboursProof,
  overloadProof,
  leaksProof,
  uploadLeaks,
  renderLeaksProof,
  containerProof,
];
