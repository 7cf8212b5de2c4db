// Which queued render begins next: accounts take turns, and the one that is next must have a free capture slot.
import type { Clock } from '#core/clock.ts';
import { newId } from '#core/ids.ts';
import type { Database, Tables } from '#storage/database.ts';
import type { RenderJobRow } from '#storage/schema.ts';
import type { PlanCaps } from '#storage/tables/render-jobs.ts';
import { callerFor, type Caller } from '#accounts/authenticate.ts';
import type { Plans } from '#accounts/plans.ts';
import type { CaptureSlots } from '#metering/capture-slots.ts';

export interface JobTurnsParts {
  database: Database;
  clock: Clock;
  plans: Plans;
  slots: CaptureSlots;
}

export type JobTurns = ReturnType<typeof createJobTurns>;

export function createJobTurns({ database, clock, plans, slots }: JobTurnsParts) {
  /** The oldest job of the account that is next, not of those in `without`. */
  async function claimNext(without: string[], leaseMs: number): Promise<RenderJobRow | undefined> {
    for (;;) {
      const found = await database.transaction(
        async (tables) => {
          const now = clock.now();
          const caps = await capsOf(tables);
          const accountId = await tables.renderJobs.nextAccount(now, caps, without);
          if (accountId === undefined) return undefined;
          const payer = await payerOf(tables, accountId, null);
          // What the query has seen may have changed until the counter was locked.
          if (!payer || !(await slots.hasFreeSlot(tables, payer))) return { accountId };
          const job = await tables.renderJobs.claim(accountId, { claim: newId(), now, leaseMs });
          return { accountId, job };
        },
        { durability: 'relaxed' },
      );
      if (!found) return undefined;
      if (found.job) return found.job;
      without.push(found.accountId);
    }
  }

  async function capsOf(tables: Tables): Promise<PlanCaps> {
    const { all, standard } = await plans.inForce(tables);
    return {
      byPlan: Object.fromEntries(all.map((plan) => [plan.id, plan.concurrent_renders])),
      standard: standard.concurrent_renders,
    };
  }

  async function payerOf(
    { accounts }: Tables,
    accountId: string,
    keyId: string | null,
  ): Promise<Caller | undefined> {
    const account = await accounts.byId(accountId);
    return account && callerFor({ ...account, account_id: accountId }, keyId, plans);
  }

  return { claimNext, payerOf };
}
