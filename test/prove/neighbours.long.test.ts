import { neighboursProof } from '#lab/prove/neighbours.ts';
import { proveShort } from '#lab/prove/prove-short.ts';

proveShort(neighboursProof);
