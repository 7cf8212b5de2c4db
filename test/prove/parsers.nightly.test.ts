import { parsersProof } from '#lab/prove/parsers.ts';
import { proveShort } from '#lab/prove/prove-short.ts';

proveShort(parsersProof);
