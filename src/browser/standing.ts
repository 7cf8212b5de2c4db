// What each account does to the browser that all accounts share. An account that recently exhausted it gets its own browser with low
// priority for each render: it can do it again, but only to itself.
import { createBoundedMap } from '#core/bounded-map.ts';

export interface Standing {
  isSuspect(account: string | undefined): boolean;
  blame(account: string | undefined): void;
  /** A render begins; the returned function ends it. */
  begin(account: string | undefined): () => void;
  /** True if the account has more than one render running. */
  isCrowding(account: string | undefined): boolean;
  /** True if another account has rendered within the last minute. Without others there is nobody to protect. */
  hasNeighbours(account: string | undefined): boolean;
}

type Seen = { account: string | undefined; at: number };

const suspectMs = 2 * 60_000;
const neighbourMs = 60_000;
// Above this number the oldest are forgotten, and can be blamed again.
const mostAccounts = 10_000;

export function createStanding(now: () => number = () => performance.now()): Standing {
  const blamedAt = createBoundedMap<string, number>(mostAccounts);
  const running = new Map<string | undefined, number>();
  // The account of the newest render, and the newest of any other account.
  let newest: Seen = { account: undefined, at: -Infinity };
  let other = newest;

  function count(account: string | undefined, change: 1 | -1): void {
    const renders = (running.get(account) ?? 0) + change;
    if (renders > 0) running.set(account, renders);
    else running.delete(account);
  }

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
    begin(account) {
      if (newest.account !== account) other = newest;
      newest = { account, at: now() };
      count(account, 1);
      return () => count(account, -1);
    },
    isCrowding: (account) => (running.get(account) ?? 0) > 1,
    hasNeighbours: (account) => now() - (newest.account === account ? other : newest).at < neighbourMs,
  };
}
