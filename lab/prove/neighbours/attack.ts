// What every attack has in common.
import { setTimeout as delay } from 'node:timers/promises';
import type { Target } from '#lab/prove/neighbours/target.ts';

export interface Attack {
  name: string;
  /** The shared thing it is aimed at, as docs/reliability.md has it. */
  resource: string;
  run(target: Target, isOver: () => boolean): Promise<number>;
}

/** Many at once, each again and again. What it is answered does not matter; that it was answered or cut does. */
export async function flood(
  isOver: () => boolean,
  atOnce: number,
  send: (index: number, signal: AbortSignal) => Promise<unknown>,
): Promise<number> {
  let count = 0;
  const stop = new AbortController();
  const timer = setInterval(() => isOver() && stop.abort(), 50);
  await Promise.all(
    Array.from({ length: atOnce }, async (_, index) => {
      while (!isOver()) {
        await send(index, stop.signal).catch(() => delay(20));
        count += 1;
      }
    }),
  );
  clearInterval(timer);
  return count;
}
