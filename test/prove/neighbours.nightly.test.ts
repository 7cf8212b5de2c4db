// Every attack of the neighbours proof, in its short form: judged by what fails or starves, not by time.
import { neighboursProof } from '#lab/prove/neighbours.ts';
import { proveShort } from '#lab/prove/prove-short.ts';

proveShort(neighboursProof);
