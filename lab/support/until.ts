// Waits for a state outside this process that gives no event (a process table, a folder), with a time limit.
import { setTimeout as sleep } from 'node:timers/promises';

export async function until(what: string, holds: () => boolean, withinMs = 120_000): Promise<void> {
  const endsAt = performance.now() + withinMs;
  while (!holds()) {
    if (performance.now() > endsAt) throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(25);
  }
}
