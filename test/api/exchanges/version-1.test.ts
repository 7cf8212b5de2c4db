// Version 1 is frozen: its recorded exchanges (test/fixtures/exchanges-v1/) are what they were. `npm run document -- exchanges` records a
// change that is meant.
import { testExchanges } from '#test/support/exchanges/suite.ts';

testExchanges(1);
