// Accounts that recently had a page that exhausted what all renders share. Their renders get their own browser with low priority:
// they can do it again, but only to themselves.
import { createBoundedMap } from '#core/bounded-map.ts';

export interface Standing {
  isSuspect(account: string | undefined): boolean;
  blame(account: string | undefined): void;
}

const suspectMs = 2 * 60_000;
// Above this number the oldest are forgotten, and can be blamed again.
const mostAccounts = 10_000;

export function createStanding(now: () => number = () => performance.now()): Standing {
  const blamedAt = createBoundedMap<string, number>(mostAccounts);
  return {
    isSuspect(account) {
      if (account === undefined) return false;
      const at = blamedAt.get(account);
      if (at === undefined) return false;
      if (now() - at < suspectMs) return true;
      blamedAt.delete(account);
      return false;
    },
    blame(account) {
      if (account !== undefined) blamedAt.set(account, now());
    },
  };
}
