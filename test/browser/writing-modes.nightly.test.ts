// The cases of writing-modes.ts that the other gates leave out: every mode with every overflow and height. Spec 4.3 (full_page).
import { testInPieces, testWritingModes } from '#test/browser/writing-modes.ts';

testWritingModes('rest');
testInPieces('rest');
