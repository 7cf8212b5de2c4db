// Every proof, in the order in which they run.
import type { Proof } from '#prove/proof.ts';

export const proofs: readonly Proof[] = [];
