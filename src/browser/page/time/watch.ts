// Waits for a state that changes: code that changes it calls `notify`, and code that waits checks again.

export interface Watch {
  notify(): void;
  /** Resolves as soon as the condition holds; rejects with the signal's reason. */
  until(condition: () => boolean, signal: AbortSignal): Promise<void>;
  /** Resolves at the next change, or after this time without one; rejects with the signal's reason. */
  change(atMostMs: number, signal: AbortSignal): Promise<void>;
}

export function createWatch(): Watch {
  const waiting = new Set<() => void>();

  function wait(isOver: () => boolean, atMostMs: number | undefined, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = () => {
        waiting.delete(check);
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
      };
      const abort = () => {
        end();
        reject(signal.reason as Error);
      };
      const finish = () => {
        end();
        resolve();
      };
      const check = () => {
        if (isOver()) finish();
      };
      const timer = atMostMs === undefined ? undefined : setTimeout(finish, atMostMs);
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort, { once: true });
      waiting.add(check);
    });
  }

  return {
    notify() {
      for (const check of waiting) check();
    },
    until: (condition, signal) =>
      condition() && !signal.aborted ? Promise.resolve() : wait(condition, undefined, signal),
    change: (atMostMs, signal) => wait(() => true, atMostMs, signal),
  };
}
