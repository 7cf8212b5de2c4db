import { fuzz } from '#lab/prove/fuzz.ts';
import { proveShort } from '#lab/prove/prove-short.ts';

proveShort(fuzz);
