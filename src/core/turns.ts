// Limits how much runs at once: `atOnce` pieces of work run, the rest wait in the order in which they came.

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
      // The place goes straight to the next in line: a newcomer cannot take it in between.
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}
