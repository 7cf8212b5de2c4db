import { proveShort } from '#lab/prove/prove-short.ts';
import { smallPiecesProof } from '#lab/prove/small-pieces.ts';

proveShort(smallPiecesProof);
