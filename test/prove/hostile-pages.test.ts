import { hostilePagesProof } from '#prove/hostile-pages.ts';
import { proveShort } from '#test/support/prove.ts';

proveShort(hostilePagesProof);
