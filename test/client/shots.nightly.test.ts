import { testShots } from './shots.ts';

testShots(200);
