// Version 1 is frozen: its recorded exchanges (test/fixtures/exchanges-v1/) are played again, and every status, header, body and message
// is what it was. `npm run document -- exchanges` records a change that is meant.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { corpusNames, layOut, readCorpus } from '#test/support/exchanges/exchange.ts';
import { play } from '#test/support/exchanges/play.ts';
import { openStage, type Stage } from '#test/support/exchanges/stage.ts';

let stage: Stage;
before(async () => {
  stage = await openStage();
});
after(() => stage.close());

for (const name of corpusNames) {
  describe(name, () => {
    const { request, sequences } = readCorpus(name);
    for (const sequence of sequences)
      test(sequence.name, async () => {
        // As text: the order of keys counts.
        const played = await play(sequence, request, stage);
        assert.deepEqual(layOut(played).split('\n'), layOut(sequence).split('\n'));
      });
  });
}
