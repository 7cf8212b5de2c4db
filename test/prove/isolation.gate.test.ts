import { isolationProof } from '#lab/prove/isolation.ts';
import { proveShort } from '#lab/prove/prove-short.ts';

proveShort(isolationProof);
