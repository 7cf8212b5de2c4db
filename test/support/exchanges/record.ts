// Plays every recorded exchange of both versions and writes down the answers of today: `npm run document -- exchanges`. A difference is a
// change of the interface, so it belongs into a commit that says why; version 1 is frozen.
import {
  corpusNamesOf,
  readCorpus,
  versions,
  writeCorpus,
  type Sequence,
} from '#test/support/exchanges/exchange.ts';
import { play } from '#test/support/exchanges/play.ts';
import { openStage } from '#test/support/exchanges/stage.ts';

export async function recordExchanges(): Promise<void> {
  for (const version of versions) {
    const stage = await openStage(version);
    try {
      for (const name of corpusNamesOf(version)) {
        const corpus = readCorpus(version, name);
        const sequences: Sequence[] = [];
        for (const sequence of corpus.sequences) sequences.push(await play(sequence, corpus.request, stage));
        writeCorpus(version, name, { ...corpus, sequences });
      }
    } finally {
      await stage.close();
    }
  }
}
