import { overloadProof } from '#prove/overload.ts';
import { testProof } from '#test/support/prove.ts';

testProof(overloadProof);
