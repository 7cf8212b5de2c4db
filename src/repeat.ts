// Runs a chore at an interval: never twice at once; a failure is logged; `stop` waits for a run in progress.
import type { Logger } from 'pino';
import { every, type Clock } from '#core/clock.ts';

export function repeat(
  name: string,
  everyMs: number,
  chore: () => Promise<unknown>,
  { clock, log }: { clock: Clock; log: Logger },
) {
  let isWaiting = false;
  let running: Promise<void> = run();
  const cancel = every(clock, everyMs, () => {
    // A run that has not begun does for every time that has passed.
    if (!isWaiting) running = running.then(run);
    isWaiting = true;
    return running;
  });

  async function run(): Promise<void> {
    isWaiting = false;
    try {
      await chore();
    } catch (error) {
      log.error({ err: error }, `${name} failed; retrying in ${everyMs / 1000} s`);
    }
  }

  return {
    async stop(): Promise<void> {
      cancel();
      await running;
    },
  };
}
