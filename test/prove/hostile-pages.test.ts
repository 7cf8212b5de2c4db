import { hostilePagesProof } from '#prove/hostile-pages.ts';
import { testProof } from '#test/support/prove.ts';

testProof(hostilePagesProof);
