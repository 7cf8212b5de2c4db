import { renderLeaksProof } from '#lab/prove/render-leaks.ts';
import { proveShort } from '#lab/prove/prove-short.ts';

proveShort(renderLeaksProof);
