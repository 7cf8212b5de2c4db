// The machine's own capacity: so many renders at a time, the rest wait in line, each account in its own, and the lines take
// turns, so that one account's many renders cannot starve another's few. Waiting is bounded.
import { machineBusy } from '#metering/capture-slots.ts';

export interface RenderQueue {
  /** Resolves when it is this render's turn; call what it resolves to when the render has ended. */
  enter(accountId: string, signal: AbortSignal): Promise<() => void>;
  /** Renders running and waiting, for the metrics. */
  load(): { running: number; waiting: number };
}

interface Waiting {
  start: () => void;
}

export function createRenderQueue({
  concurrency,
  maxWaitMs,
}: {
  concurrency: number;
  maxWaitMs: number;
}): RenderQueue {
  // A Map keeps its order: the account that was served last goes to the end of it.
  const lines = new Map<string, Waiting[]>();
  let running = 0;

  function serveNext(): void {
    const [first] = lines;
    if (!first || running >= concurrency) return;
    const [accountId, line] = first;
    const next = line.shift();
    lines.delete(accountId);
    if (line.length > 0) lines.set(accountId, line);
    next?.start();
  }

  function leave(accountId: string, waiting: Waiting): void {
    const rest = lines.get(accountId)?.filter((other) => other !== waiting) ?? [];
    if (rest.length > 0) lines.set(accountId, rest);
    else lines.delete(accountId);
  }

  return {
    enter(accountId, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<() => void>();
      const waiting: Waiting = {
        start() {
          stopWaiting();
          running += 1;
          let hasEnded = false;
          resolve(() => {
            if (hasEnded) return;
            hasEnded = true;
            running -= 1;
            serveNext();
          });
        },
      };
      const giveUp = (error: Error) => {
        stopWaiting();
        leave(accountId, waiting);
        reject(error);
      };
      const timer = setTimeout(() => giveUp(machineBusy()), maxWaitMs);
      const onAbort = () => giveUp(signal.reason as Error);
      function stopWaiting(): void {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      }
      if (signal.aborted) onAbort();
      else {
        signal.addEventListener('abort', onAbort);
        lines.set(accountId, [...(lines.get(accountId) ?? []), waiting]);
        serveNext();
      }
      return promise;
    },
    load: () => ({ running, waiting: [...lines.values()].reduce((sum, line) => sum + line.length, 0) }),
  };
}
