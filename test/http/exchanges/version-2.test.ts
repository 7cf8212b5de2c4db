// The recorded exchanges of version 2 (test/fixtures/exchanges-v2/) are what they were. `npm run document -- exchanges` records a change
// that is meant.
import { testExchanges } from '#test/support/exchanges/suite.ts';

testExchanges(2);
