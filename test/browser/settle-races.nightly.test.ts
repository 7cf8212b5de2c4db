// What settle-races.gate.test.ts shows once, often.
import { testRaces } from './settle-races.ts';

testRaces(24);
