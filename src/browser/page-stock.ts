// Pages made ahead of need. A few are opened at a time: a page costs a full Chromium 0.7 s of processor time, so a dozen opened at once
// on two cores would all be late. Whichever is ready first goes to the render that has waited longest.
import { availableParallelism } from 'node:os';
import { within } from '#browser/process/deadline.ts';

export interface PageStock<Page> {
  /** One that was ready, or the next to be. */
  take(signal: AbortSignal): Promise<Page>;
  /** Opens what is missing; resolves when that is done. From now on the stock fills itself up. */
  fill(): Promise<void>;
  /** Opens no more ahead of need; answers those that nobody took. */
  end(): Page[];
}

export interface PageStockOptions<Page> {
  /** Has a time limit of its own. */
  open: () => Promise<Page>;
  discard: (page: Page) => Promise<unknown>;
  isUsable: (page: Page) => boolean;
  /** How many are kept ready. */
  most: number;
  opensAtOnce?: number;
}

interface Place<Page> {
  resolve(page: Page): void;
  reject(error: unknown): void;
}

export function createPageStock<Page>(options: PageStockOptions<Page>): PageStock<Page> {
  const { open, discard, isUsable, most, opensAtOnce = Math.max(2, availableParallelism()) } = options;
  const ready: Page[] = [];
  const waiting: Place<Page>[] = [];
  const opening = new Set<Promise<void>>();
  let kept = 0;
  let isEnded = false;

  function openMissing(): void {
    const missing = waiting.length + kept - ready.length;
    while (opening.size < Math.min(missing, opensAtOnce)) {
      const work: Promise<void> = open()
        .then(hand, refuse)
        .then((isOpened) => {
          opening.delete(work);
          // A browser that opens no page is not asked again for the sake of the stock.
          if (isOpened || waiting.length > 0) openMissing();
        });
      opening.add(work);
    }
  }

  async function hand(page: Page): Promise<boolean> {
    const first = waiting.shift();
    if (first) first.resolve(page);
    else if (isEnded) await discard(page);
    else ready.push(page);
    return true;
  }

  function refuse(error: unknown): boolean {
    waiting.shift()?.reject(error);
    return false;
  }

  return {
    async take(signal) {
      for (let page = ready.shift(); page !== undefined; page = ready.shift()) {
        if (isUsable(page)) return page;
        await discard(page);
      }
      const { promise, ...place } = Promise.withResolvers<Page>();
      waiting.push(place);
      openMissing();
      try {
        return await within(promise, signal);
      } catch (error) {
        const index = waiting.indexOf(place);
        if (index >= 0) waiting.splice(index, 1);
        // It may have come at the very moment at which the render was called off.
        else promise.then(hand, () => false);
        throw error;
      }
    },
    async fill() {
      kept = isEnded ? 0 : most;
      openMissing();
      while (opening.size > 0) await Promise.all(opening);
    },
    end() {
      isEnded = true;
      kept = 0;
      return ready.splice(0);
    },
  };
}
