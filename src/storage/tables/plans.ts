// Queries on the plans that owners have made or changed in the dashboard.
import { sql, type Kysely } from 'kysely';
import type { PlanRow, Schema } from '#storage/schema.ts';

/** The plan of a new account, and of one whose own plan is gone. */
export const standardPlanId = 'free';

/** What is read along with an account, so that no request needs another statement for its plan. */
export interface WithStoredPlan {
  /** The definition of its plan; if that one is not stored, of the standard plan; null if neither is. */
  stored_plan: string | null;
}

/** As a column of a query on accounts. */
export const storedPlan = sql<string | null>`(
  select definition from plans where plans.id in (accounts.plan, ${sql.lit(standardPlanId)})
  order by plans.id = accounts.plan desc limit 1)`;

export function createPlansTable(db: Kysely<Schema>) {
  return {
    list: (): Promise<PlanRow[]> => db.selectFrom('plans').selectAll().orderBy('id').execute(),
    /** Replaces one with the same id. */
    async write(row: PlanRow): Promise<void> {
      await db
        .insertInto('plans')
        .values(row)
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ definition: row.definition }))
        .execute();
    },
    async delete(id: string): Promise<void> {
      await db.deleteFrom('plans').where('id', '=', id).execute();
    },
  };
}
