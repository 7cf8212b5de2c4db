import { isolationProof } from '#prove/isolation.ts';
import { proveShort } from '#test/support/prove.ts';

proveShort(isolationProof);
