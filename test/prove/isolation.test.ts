import { isolationProof } from '#prove/isolation.ts';
import { testProof } from '#test/support/prove.ts';

testProof(isolationProof);
