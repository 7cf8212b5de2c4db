// The plans as an owner edits them in the dashboard. Each change and its row in the audit log are one transaction.
import type { Clock } from '#core/clock.ts';
import { invalid, notFound } from '#core/errors.ts';
import type { Database, Tables } from '#storage/database.ts';
import type { AccountRow } from '#storage/schema.ts';
import { recordAct } from '#accounts/audit.ts';
import {
  builtInPlans,
  defaultQueuedRenders,
  type Plan,
  type Plans,
  type PlanSource,
} from '#accounts/plans.ts';

export type PlanChange = Partial<Omit<Plan, 'id'>>;

interface ListedPlan {
  plan: Required<Plan>;
  source: PlanSource;
  /** It cannot be deleted; one that was changed can be reset. */
  isBuiltIn: boolean;
  accounts: number;
}

export function createPlanEditing(parts: { database: Database; plans: Plans; clock: Clock }) {
  const { database, plans, clock } = parts;

  /** The plan to change. One that PLANS_FILE defines can only be changed there. */
  async function editable(tables: Tables, id: string): Promise<{ plan: Required<Plan>; isStored: boolean }> {
    const { byId, sourceOf } = await plans.inForce(tables);
    const plan = byId(id);
    if (!plan) throw notFound();
    if (sourceOf(id) === 'file')
      throw invalid('id', 'this plan is in the file of the variable PLANS_FILE; change it there');
    return { plan: whole(plan), isStored: sourceOf(id) === 'dashboard' };
  }

  async function write(tables: Tables, actor: AccountRow, action: string, plan: Plan, detail: object) {
    await tables.plans.write({ id: plan.id, definition: JSON.stringify(plan) });
    await recordAct(tables, actor, clock.now(), { action, detail });
    return plan;
  }

  return {
    async list(): Promise<ListedPlan[]> {
      const { all, sourceOf } = await plans.inForce(database.tables);
      const accounts = await database.tables.accounts.countByPlan();
      return all.map((plan) => ({
        plan: whole(plan),
        source: sourceOf(plan.id),
        isBuiltIn: isBuiltIn(plan.id),
        accounts: accounts.get(plan.id) ?? 0,
      }));
    },

    create: (actor: AccountRow, plan: Plan): Promise<Plan> =>
      database.transaction(async (tables) => {
        if ((await plans.inForce(tables)).byId(plan.id))
          throw invalid('id', `there is already a plan "${plan.id}"`);
        return write(tables, actor, 'plan.create', plan, plan);
      }),

    change: (actor: AccountRow, id: string, change: PlanChange): Promise<Plan> =>
      database.transaction(async (tables) => {
        const { plan } = await editable(tables, id);
        const next = { ...plan, ...change };
        const changed = Object.entries(next).filter(([name, value]) => plan[name as keyof Plan] !== value);
        if (changed.length === 0) return plan;
        return write(tables, actor, 'plan.update', next, { id, ...Object.fromEntries(changed) });
      }),

    /** A built-in plan has its own numbers again; another must not be an account's. */
    remove: (actor: AccountRow, id: string): Promise<void> =>
      database.transaction(async (tables) => {
        const { isStored } = await editable(tables, id);
        if (!isStored) throw invalid('id', 'this plan is built in and has its own numbers');
        const accounts = (await tables.accounts.countByPlan()).get(id) ?? 0;
        if (accounts > 0 && !isBuiltIn(id))
          throw invalid(
            'id',
            `${accounts === 1 ? 'one account is' : `${accounts} accounts are`} on this plan; move ${accounts === 1 ? 'it' : 'them'} to another first`,
          );
        await tables.plans.delete(id);
        const action = isBuiltIn(id) ? 'plan.reset' : 'plan.delete';
        await recordAct(tables, actor, clock.now(), { action, detail: { id } });
      }),
  };
}

/** With what is left out. */
const whole = (plan: Plan): Required<Plan> => ({ queued_renders: defaultQueuedRenders, ...plan });

const isBuiltIn = (id: string): boolean => builtInPlans.some((plan) => plan.id === id);
