// How long calls to another program or to the disk took: the place that makes them notes each, and the metrics listen.

/** A listener is called for every statement of the database, so it must be cheap. */
export type OnTiming = (operation: string, durationMs: number) => void;

export interface Timings {
  note: OnTiming;
  listen(listener: OnTiming): void;
}

export function createTimings(): Timings {
  let listener: OnTiming = () => {};
  return {
    note: (operation, durationMs) => listener(operation, durationMs),
    listen(next) {
      listener = next;
    },
  };
}

/** Runs `work` and notes its time, however it ends. */
export async function timed<T>(note: OnTiming, operation: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  try {
    return await work();
  } finally {
    note(operation, performance.now() - startedAt);
  }
}
