// What settle-races.test.ts shows once, often.
import { testRaces } from './settle-races.ts';

testRaces(24);
