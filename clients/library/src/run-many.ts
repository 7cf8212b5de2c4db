// A run of many calls, as outcomes that the caller loops over.
import type { Meta } from './meta.ts';
import type { RunItem, RunOptions } from './options.ts';
import { outcomesOf } from './run-all.ts';
import type { Sender } from './send.ts';

/** The whole run reacts to a 429, so its single calls do not wait for one by themselves. */
export async function* runMany<Source, Result extends { meta: Meta }>(
  sender: Sender,
  sources: Iterable<Source>,
  { concurrency = 1, onWait, signal }: RunOptions,
  call: (sender: Sender, source: Source, signal: AbortSignal) => Promise<Result>,
): AsyncGenerator<RunItem<Source, Result>> {
  if (!(concurrency >= 1)) throw new TypeError(`concurrency must be 1 or more, not ${concurrency}`);
  const { onRetry, clock } = sender;
  const patient: Sender = {
    ...sender,
    onRetry: (retry) => retry.error.status !== 429 && onRetry?.(retry) !== false,
  };
  const left = new AbortController();
  const both = signal ? AbortSignal.any([signal, left.signal]) : left.signal;
  const outcomes = outcomesOf<Source, Result>(
    {
      jobs: sources,
      attempt: (source) => call(patient, source, both),
      onWait,
      ceiling: concurrency,
      clock,
      signal: both,
    },
    () => left.abort(new Error('the loop over the run was left')),
  );
  for await (const outcome of outcomes) {
    yield 'error' in outcome
      ? { source: outcome.job, ok: false, error: outcome.error }
      : { source: outcome.job, ok: true, result: outcome.result };
  }
}
