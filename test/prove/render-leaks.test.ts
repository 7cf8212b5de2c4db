import { renderLeaksProof } from '#prove/render-leaks.ts';
import { proveShort } from '#test/support/prove.ts';

proveShort(renderLeaksProof);
