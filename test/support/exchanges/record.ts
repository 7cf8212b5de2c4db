// Plays every recorded exchange and writes down the answers of today: `npm run document -- exchanges`. A difference is a change of
// version 1, which is frozen, so it belongs into a commit that says why.
import { corpusNames, readCorpus, writeCorpus, type Sequence } from '#test/support/exchanges/exchange.ts';
import { play } from '#test/support/exchanges/play.ts';
import { openStage } from '#test/support/exchanges/stage.ts';

export async function recordExchanges(): Promise<void> {
  const stage = await openStage();
  try {
    for (const name of corpusNames) {
      const corpus = readCorpus(name);
      const sequences: Sequence[] = [];
      for (const sequence of corpus.sequences) sequences.push(await play(sequence, corpus.request, stage));
      writeCorpus(name, { ...corpus, sequences });
    }
  } finally {
    await stage.close();
  }
}
