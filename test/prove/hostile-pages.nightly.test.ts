import { hostilePagesProof } from '#lab/prove/hostile-pages.ts';
import { proveShort } from '#lab/prove/prove-short.ts';

proveShort(hostilePagesProof);
