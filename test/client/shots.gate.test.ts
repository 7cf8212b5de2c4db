import { testShots } from './shots.ts';

testShots(20);
