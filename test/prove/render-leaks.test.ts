import { renderLeaksProof } from '#prove/render-leaks.ts';
import { testProof } from '#test/support/prove.ts';

testProof(renderLeaksProof);
