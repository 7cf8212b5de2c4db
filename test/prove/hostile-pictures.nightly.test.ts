import { hostilePicturesProof } from '#lab/prove/hostile-pictures.ts';
import { proveShort } from '#lab/prove/prove-short.ts';

proveShort(hostilePicturesProof);
