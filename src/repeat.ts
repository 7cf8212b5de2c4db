// Runs a chore at an interval: never twice at once; a failure is logged; `stop` waits for a run in progress.
import type { Logger } from 'pino';

export function repeat(name: string, everyMs: number, chore: () => Promise<unknown>, log: Logger) {
  let running: Promise<void> = run();
  const timer = setInterval(() => {
    running = running.then(run);
  }, everyMs).unref();

  async function run(): Promise<void> {
    try {
      await chore();
    } catch (error) {
      log.error({ err: error }, `${name} failed; retrying in ${everyMs / 1000} s`);
    }
  }

  return {
    async stop(): Promise<void> {
      clearInterval(timer);
      await running;
    },
  };
}
