// The code blocks of the guides, each run as it stands.
import { testBlocksOf, testTypes } from './suite.ts';

const { desk } = testBlocksOf(['docs/**/*.md']);
testTypes(desk);
