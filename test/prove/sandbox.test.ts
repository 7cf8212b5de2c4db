import { sandboxProof } from '#prove/sandbox.ts';
import { proveShort } from '#test/support/prove.ts';

proveShort(sandboxProof);
