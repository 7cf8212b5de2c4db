// Admits a request: authenticates its key and counts it against the account's request budget. A single machine reads the
// key and counts in memory; many machines use one database statement for both, and none while the budget is known to be spent. Spec 5, 8.
import { createBoundedMap } from '#core/bounded-map.ts';
import type { Clock } from '#core/clock.ts';
import type { Database } from '#storage/database.ts';
import type { CountedHolder, RequestWindowsTable } from '#storage/tables/request-windows.ts';
import {
  keyHashIn,
  scopesFor,
  type Authentication,
  type Caller,
  type KeyUse,
} from '#accounts/authenticate.ts';
import type { Plans } from '#accounts/plans.ts';
import { standingOf, windowMs, type BudgetStanding, type RequestBudget } from '#metering/request-budget.ts';

export interface Admission {
  /** Counts the request. Throws `unauthorized`. If the budget is spent, `standing.isSpent` is true. */
  admit(
    authorization: string | undefined,
    use: KeyUse,
    /** The address of the client. */
    address: string,
  ): Promise<{ caller: Caller; standing: BudgetStanding }>;
  /** Counts a request of a caller that is already authenticated. */
  count(caller: Caller): Promise<BudgetStanding>;
  /** The account's standing, without counting a request. */
  peek(caller: Caller): Promise<BudgetStanding>;
  /** The same for the account of a key. Throws `unauthorized`. */
  standing(authorization: string, address: string): Promise<BudgetStanding>;
}

interface Parts {
  authentication: Authentication;
  budget: RequestBudget;
  database: Database;
  plans: Plans;
  clock: Clock;
}

export function createAdmission(parts: Parts): Admission {
  const { requestWindows } = parts.database;
  const { admit, count, peek } = requestWindows
    ? createSharedAdmission(parts, requestWindows)
    : createLocalAdmission(parts);
  return {
    admit,
    count,
    peek,
    standing: async (authorization, address) =>
      peek(await parts.authentication.authenticate(authorization, 'any', address)),
  };
}

function createLocalAdmission({ authentication, budget }: Parts): Omit<Admission, 'standing'> {
  return {
    async admit(authorization, use, address) {
      const caller = await authentication.authenticate(authorization, use, address);
      const standing = budget.spend(subjectOf(caller), caller.plan.requests_per_minute);
      return { caller, standing };
    },
    count: async (caller) => budget.spend(subjectOf(caller), caller.plan.requests_per_minute),
    peek: async (caller) => budget.peek(subjectOf(caller), caller.plan.requests_per_minute),
  };
}

const subjectOf = ({ accountId }: Caller): string => `account ${accountId}`;

/**
 * How long a spent budget is answered from memory: a flood costs the database four look-ups a second, and an upgraded plan or a
 * revoked key still takes effect within a quarter of a second.
 */
const rememberSpentMs = 250;
const rememberedKeys = 10_000;

function createSharedAdmission(
  { authentication, plans, clock }: Parts,
  requestWindows: RequestWindowsTable,
): Omit<Admission, 'standing'> {
  const limits = { ...plans.requestLimits, windowMs };
  const spent = createBoundedMap<string, { holder: CountedHolder; readAt: number }>(rememberedKeys);

  async function count(
    keyHash: string,
    use: KeyUse,
    now: number,
  ): Promise<{ holder?: CountedHolder; readAt: number }> {
    const known = spent.get(keyHash);
    const endsInMs = Math.min(known?.holder.window?.endsInMs ?? 0, rememberSpentMs);
    if (known && now >= known.readAt && now < known.readAt + endsInMs) return known;
    spent.delete(keyHash);
    const holder = await requestWindows.count(keyHash, scopesFor(use), limits, now);
    if (!holder) return { readAt: now };
    if (holder.window?.isRefused) spent.set(keyHash, { holder, readAt: now });
    return { holder, readAt: now };
  }

  return {
    async admit(authorization, use, address) {
      const now = clock.now();
      const { holder, readAt } = await count(keyHashIn(authorization), use, now);
      const caller = authentication.accept(holder, use, address);
      const window = holder?.window;
      if (!window) throw new Error('a caller was admitted without being counted');
      const standing = standingOf(
        { count: window.count, endsAt: readAt + window.endsInMs },
        caller.plan.requests_per_minute,
        now,
        window.isRefused,
      );
      return { caller, standing };
    },
    async count({ accountId, plan }) {
      const now = clock.now();
      const limit = plan.requests_per_minute;
      const window = await requestWindows.countAccount(accountId, limit, windowMs, now);
      return standingOf({ count: window.count, endsAt: now + window.endsInMs }, limit, now, window.isRefused);
    },
    async peek({ accountId, plan }) {
      const now = clock.now();
      const limit = plan.requests_per_minute;
      const window = (await requestWindows.read(accountId, windowMs, now)) ?? {
        count: 0,
        endsInMs: windowMs,
      };
      return standingOf({ ...window, endsAt: now + window.endsInMs }, limit, now, window.count >= limit);
    },
  };
}
