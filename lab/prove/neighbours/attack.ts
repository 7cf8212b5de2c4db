// What every attack has in common.
import { setTimeout as delay } from 'node:timers/promises';
import type { Target } from '#lab/prove/neighbours/target.ts';

export interface Attack {
  name: string;
  /** The shared resource that it attacks, as named in lab/figures/proofs.md. */
  resource: string;
  /** By pages, of which nothing reaches the service's process but requests and results. */
  isByPages?: true;
  /** What takes time before the attack can begin. */
  prepare?(): Promise<unknown>;
  run(target: Target, isOver: () => boolean): Promise<number>;
}

/** Runs many at once, each repeatedly. The response does not matter, but there must be one, or a closed connection. */
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
