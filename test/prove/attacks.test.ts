import { attacksProof } from '#prove/attacks.ts';
import { proveShort } from '#test/support/prove.ts';

proveShort(attacksProof);
