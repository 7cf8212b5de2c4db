// Work that nobody waits for: its failure is logged, and what closes waits for its end.
import type { Log } from '#browser/browser.ts';

export function createBackground(log: Log) {
  const underWay = new Set<Promise<void>>();
  return {
    run(work: Promise<unknown>, failed: string): void {
      const done: Promise<void> = work
        .then(
          () => {},
          (error: unknown) => log.error({ err: error }, failed),
        )
        .finally(() => underWay.delete(done));
      underWay.add(done);
    },
    ended: (): Promise<unknown> => Promise.all(underWay),
  };
}
