// The code blocks of the guides and of the packages' pages, each run as it stands.
import { testBlocksOf, testTypes } from './suite.ts';

const { desk } = testBlocksOf(['docs/**/*.md', 'clients/*/README.md']);
testTypes(desk);
