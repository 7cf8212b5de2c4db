// The cases of writing-modes.ts that writing-modes.test.ts leaves out: every mode with every overflow and height. Spec 4.3 (full_page).
import { testWritingModes } from '#test/browser/writing-modes.ts';

testWritingModes('rest');
