import { sandboxProof } from '#prove/sandbox.ts';
import { testProof } from '#test/support/prove.ts';

testProof(sandboxProof);
