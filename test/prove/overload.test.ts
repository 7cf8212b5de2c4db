import { overloadProof } from '#prove/overload.ts';
import { proveShort } from '#test/support/prove.ts';

proveShort(overloadProof);
