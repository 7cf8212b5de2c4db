// Every attack of the neighbours proof, in its short form.
import { neighboursProof } from '#lab/prove/neighbours.ts';
import { proveShort } from '#lab/prove/prove-short.ts';

proveShort(neighboursProof);
