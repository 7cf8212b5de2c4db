// Limits how many events of one page are read: every message about a page (a request, a WebSocket frame, an animation) is parsed
// on the event loop that serves all accounts, and a page can cause tens of thousands a second.

export interface EventAllowance {
  /** False if the allowance is spent: the event must not be read. */
  spend(): boolean;
  /** Called once, when the allowance is spent. */
  onSpent(handler: () => void): void;
}

// A page with 3,000 requests causes about eight events for each, over ten seconds.
const burst = 15_000;
const perSecond = 2_000;

export function createEventAllowance(now: () => number = () => performance.now()): EventAllowance {
  const handlers: (() => void)[] = [];
  let left = burst;
  let filledAt = now();
  let isSpent = false;

  function refill(): void {
    const at = now();
    left = Math.min(burst, left + ((at - filledAt) / 1_000) * perSecond);
    filledAt = at;
  }

  return {
    spend() {
      if (isSpent) return false;
      left -= 1;
      if (left >= 0) return true;
      refill();
      if (left >= 0) return true;
      isSpent = true;
      for (const handler of handlers) handler();
      return false;
    },
    onSpent(handler) {
      handlers.push(handler);
    },
  };
}

/** In Chromium's format, a message that starts with a method is an event, and one that starts with an id is an answer. */
export const isEvent = (text: string): boolean => text.startsWith('{"method"');

/** The method of an event. */
export const methodOf = (text: string): string => text.slice(methodAt, text.indexOf('"', methodAt));
const methodAt = '{"method":"'.length;

// The last field of a message: ,"sessionId":"32 characters"}
const idCharacters = 32;

export const sessionOf = (text: string): string => text.slice(-idCharacters - 2, -2);
