// What time it is, and how to wait for it. Tests replace it, so that nothing in them waits in real time.

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `work` in so many milliseconds, unless what it returns is called first. A timer keeps no process alive. */
  after(ms: number, work: Work): Cancel;
}

/** Handles its own errors. Tests wait for the promise; nothing else does. */
type Work = () => Promise<void> | void;
export type Cancel = () => void;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, work) {
    const timer = setTimeout(() => work() as void, ms).unref();
    return () => clearTimeout(timer);
  },
};

/** Calls `work` every so many milliseconds. After a jump in time it is called once, however often it was due. */
export function every(clock: Clock, ms: number, work: Work): Cancel {
  let cancel = clock.after(ms, again);
  function again() {
    cancel = clock.after(ms, again);
    return work();
  }
  return () => cancel();
}

/** Rejects as soon as the signal is aborted. */
export async function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const cancel = clock.after(ms, resolve);
  const stop = (): void => reject(signal?.reason as Error);
  signal?.addEventListener('abort', stop);
  try {
    await promise;
  } finally {
    cancel();
    signal?.removeEventListener('abort', stop);
  }
}

/** Rejects if the work takes longer; it goes on. */
export function inTime<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const cancel = clock.after(ms, () => reject(new Error(`no answer within ${ms / 1000} s`)));
  return Promise.race([work, promise]).finally(cancel);
}
