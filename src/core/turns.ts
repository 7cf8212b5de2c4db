// A semaphore: `atOnce` tasks run, the rest wait in order of arrival.

export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

export function createTurns(atOnce: number): InTurn {
  const waiting: (() => void)[] = [];
  let free = atOnce;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      // The slot passes directly to the next in the queue, so that a newcomer cannot take it in between.
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}
