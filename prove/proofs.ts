// Every proof, in the order in which they run.
import { attacksProof } from '#prove/attacks.ts';
import { connections } from '#prove/connections.ts';
import { faults } from '#prove/faults.ts';
import { fuzz } from '#prove/fuzz.ts';
import { hostilePagesProof } from '#prove/hostile-pages.ts';
import { isolationProof } from '#prove/isolation.ts';
import { overloadProof } from '#prove/overload.ts';
import type { Proof } from '#prove/proof.ts';
import { renderLeaksProof } from '#prove/render-leaks.ts';
import { sandboxProof } from '#prove/sandbox.ts';
import { uploadLeaks } from '#prove/upload-leaks.ts';

export const proofs: readonly Proof[] = [
  attacksProof,
  sandboxProof,
  hostilePagesProof,
  isolationProof,
  fuzz,
  faults,
  connections,
  overloadProof,
  uploadLeaks,
  renderLeaksProof,
];
