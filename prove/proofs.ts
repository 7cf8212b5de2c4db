// Every proof, in the order in which they run.
import { connections } from '#prove/connections.ts';
import { faults } from '#prove/faults.ts';
import { fuzz } from '#prove/fuzz.ts';
import type { Proof } from '#prove/proof.ts';
import { uploadLeaks } from '#prove/upload-leaks.ts';

export const proofs: readonly Proof[] = [fuzz, faults, connections, uploadLeaks];
