import { leaksProof } from '#lab/prove/leaks.ts';
import { proveShort } from '#lab/prove/prove-short.ts';

proveShort(leaksProof);
