import { sandboxProof } from '#lab/prove/sandbox.ts';
import { proveShort } from '#lab/prove/prove-short.ts';

proveShort(sandboxProof);
