// Pages so large that their pictures are taken in several pieces, or cut: two writing modes of them. Spec 4.3 (full_page).
import { testCut, testInPieces } from '#test/browser/writing-modes.ts';

testInPieces('sample');
testCut();
