// Waits for what comes by itself, such as a server that is back.
import { setTimeout as delay } from 'node:timers/promises';

/** Tries until it works, but not for ever; rejects with the last failure. */
export async function eventually<T>(attempt: () => Promise<T>, forMs = 10_000): Promise<T> {
  const until = Date.now() + forMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > until) throw error;
      await delay(50);
    }
  }
}
