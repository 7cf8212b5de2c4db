// Once each: settle-races.nightly.test.ts repeats them.
import { testRaces } from './settle-races.ts';

testRaces(1);
