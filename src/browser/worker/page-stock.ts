// Pages opened in advance, a few at a time: a page costs a full Chromium 0.7 s of CPU time, so a dozen opened at once on two
// cores would all be late. The first page that is ready goes to the render that has waited longest.
import { availableParallelism } from 'node:os';
import { within } from '#browser/process/deadline.ts';

export interface PageStock<Page> {
  /** A page that is ready, or the next one to become ready. */
  take(signal: AbortSignal): Promise<Page>;
  /** Opens the missing pages and resolves when that is done. From then on the stock refills itself. */
  fill(): Promise<void>;
  /** Stops opening pages in advance; returns those that were not used. */
  end(): Page[];
}

export interface PageStockOptions<Page> {
  /** Has its own time limit. */
  open: () => Promise<Page>;
  discard: (page: Page) => Promise<unknown>;
  isUsable: (page: Page) => boolean;
  /** Number of pages kept ready. */
  max: number;
  opensAtOnce?: number;
}

interface Place<Page> {
  resolve(page: Page): void;
  reject(error: unknown): void;
}

export function createPageStock<Page>(options: PageStockOptions<Page>): PageStock<Page> {
  const { open, discard, isUsable, max, opensAtOnce = Math.max(2, availableParallelism()) } = options;
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
          // A browser that fails to open a page is not asked again only to fill the stock.
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
        // The page may have arrived at the moment the render was cancelled.
        else promise.then(hand, () => false);
        throw error;
      }
    },
    async fill() {
      kept = isEnded ? 0 : max;
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
