// A sample of the writing modes: each once. Spec 4.3 (full_page).
import { testWritingModes } from '#test/browser/writing-modes.ts';

testWritingModes('sample');
