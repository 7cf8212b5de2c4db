// A circuit breaker. While a store is known to be down, requests that need it fail at once instead of queueing behind timeouts;
// one attempt at a time probes whether it is back.

/** Time between probes. */
const askAgainAfterMs = 300;

/** Runs an attempt, or rejects at once during an outage. `isOutage` distinguishes a store that is down from one that refuses. */
export function createOutageGuard(store: string, isOutage: (error: unknown) => boolean) {
  let outage: { cause: unknown; askAgainAt: number } | undefined;
  let isAsking = false;

  return async <T>(attempt: () => Promise<T>): Promise<T> => {
    const asksAgain = outage !== undefined;
    if (outage) {
      if (isAsking || Date.now() < outage.askAgainAt) {
        throw new Error(`${store} is down`, { cause: outage.cause });
      }
      isAsking = true;
    }
    try {
      const result = await attempt();
      outage = undefined;
      return result;
    } catch (error) {
      if (isOutage(error)) outage = { cause: error, askAgainAt: Date.now() + askAgainAfterMs };
      else outage = undefined;
      throw error;
    } finally {
      if (asksAgain) isAsking = false;
    }
  };
}
