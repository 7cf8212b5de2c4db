// Requests that wait for the end of a render. One that ends in this process is known at once; for those that end on another machine,
// one statement a second asks for all. A wait holds no connection of the database and no slot.
import type { Clock } from '#core/clock.ts';
import { createTally } from '#core/tally.ts';
import type { Database } from '#storage/database.ts';

/** Waiting requests of one account in this process. Further ones are answered at once. */
const maxWaiting = 50;
/** Ids per statement. */
const batch = 500;

export type RenderWaits = ReturnType<typeof createRenderWaits>;

export function createRenderWaits({ database, clock }: { database: Database; clock: Clock }) {
  const ends = new Map<string, Set<() => void>>();
  const waiting = createTally();
  let isClosed = false;

  function noteEnd(id: string): void {
    for (const end of ends.get(id) ?? []) end();
  }

  return {
    noteEnd,
    /** Resolves when the render has ended, when the time is up, or when the signal is aborted. */
    async wait(
      accountId: string,
      id: string,
      { ms, signal }: { ms: number; signal: AbortSignal },
    ): Promise<void> {
      if (isClosed || signal.aborted || waiting.of(accountId) >= maxWaiting) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const others = ends.get(id) ?? new Set();
      ends.set(id, others.add(resolve));
      const cancel = clock.after(ms, resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
      try {
        await waiting.during(accountId, 1, () => promise);
      } finally {
        cancel();
        others.delete(resolve);
        if (others.size === 0) ends.delete(id);
      }
    },
    /** Looks for renders that ended on another machine. */
    async look(): Promise<void> {
      const ids = [...ends.keys()];
      for (let start = 0; start < ids.length; start += batch) {
        const some = ids.slice(start, start + batch);
        const pending = await database.tables.renderJobs.existing(some);
        for (const id of some) if (!pending.has(id)) noteEnd(id);
      }
    },
    /** Requests that wait in this process. */
    load: waiting.total,
    /** Ends every wait, so that the service can stop. */
    close(): void {
      isClosed = true;
      for (const id of ends.keys()) noteEnd(id);
    },
  };
}
