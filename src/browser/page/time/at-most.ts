// A part of a render with a time limit of its own.
import { createPhase } from '#browser/process/deadline.ts';

/** Does `work` within this time, or throws `failure`. */
export async function inTime<T>(
  ms: number,
  whole: AbortSignal,
  failure: () => Error,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const phase = createPhase(whole, ms, failure);
  try {
    return await work(phase.signal);
  } finally {
    phase.end();
  }
}

/** Does `work` for at most this long. What is not done by then is left as it is, and the result is undefined. */
export async function atMost<T>(
  ms: number,
  whole: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const enough = new Error('long enough');
  try {
    return await inTime(ms, whole, () => enough, work);
  } catch (error) {
    if (error !== enough) throw error;
    return undefined;
  }
}
