import { attacksProof } from '#lab/prove/attacks.ts';
import { proveShort } from '#lab/prove/prove-short.ts';

proveShort(attacksProof);
