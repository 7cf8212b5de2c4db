// Runs a chore again and again: never twice at once, never fatal, and waited for at the end.
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
      log.error({ err: error }, `${name} failed; it is tried again in ${everyMs / 1000} s`);
    }
  }

  return {
    async stop(): Promise<void> {
      clearInterval(timer);
      await running;
    },
  };
}
