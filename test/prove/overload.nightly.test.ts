import { overloadProof } from '#lab/prove/overload.ts';
import { proveShort } from '#lab/prove/prove-short.ts';

proveShort(overloadProof);
