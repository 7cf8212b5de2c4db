// A test for every recorded sequence of a version: it is played again, and every status, header, body and message is what it was.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { corpusNamesOf, layOut, readCorpus, type Version } from '#test/support/exchanges/exchange.ts';
import { play } from '#test/support/exchanges/play.ts';
import { openStage, type Stage } from '#test/support/exchanges/stage.ts';

export function testExchanges(version: Version): void {
  let stage: Stage;
  before(async () => {
    stage = await openStage(version);
  });
  after(() => stage.close());

  for (const name of corpusNamesOf(version)) {
    // `10.8-uploads.json` has tests of clause 10.8.
    describe(name.replace('.json', '').replaceAll('-', ' '), () => {
      const { request, sequences } = readCorpus(version, name);
      for (const sequence of sequences)
        test(sequence.name, async () => {
          // As text: the order of keys counts.
          const played = await play(sequence, request, stage);
          assert.deepEqual(layOut(played).split('\n'), layOut(sequence).split('\n'));
        });
    });
  }
}
