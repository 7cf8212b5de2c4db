import { attacksProof } from '#prove/attacks.ts';
import { testProof } from '#test/support/prove.ts';

testProof(attacksProof);
