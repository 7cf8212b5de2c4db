// What each plan allows. Spec 8. Plans that owners store in the dashboard are added to the built-in ones or replace them, and those of the
// plans file replace both. The stored ones are read on each use, most with the account, so that a change holds on every machine at once.
import { Type, type Static } from 'typebox';
import { expected } from '#core/keywords.ts';
import type { Tables } from '#storage/database.ts';
import type { PlanRow } from '#storage/schema.ts';
import { standardPlanId, type WithStoredPlan } from '#storage/tables/plans.ts';

/** The maximum fits into a column of 32 bits; as seconds it is 31 years, which every date can hold. */
const from = (minimum: 0 | 1) => Type.Integer({ minimum, maximum: 1_000_000_000 });

export const Plan = Type.Object(
  {
    id: Type.String({
      pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$',
      [expected]:
        '1 to 40 letters, digits, dots, underscores and hyphens, of which the first is a letter or a digit',
    }),
    name: Type.String({ minLength: 1, maxLength: 60 }),
    uploads_per_month: from(0),
    renders_per_month: from(0),
    requests_per_minute: from(1),
    concurrent_renders: from(0),
    /** If it is left out: defaultQueuedRenders. */
    queued_renders: Type.Optional(from(0)),
    overages: Type.Boolean(),
    paid: Type.Boolean(),
    max_link_seconds: Type.Union([from(1), Type.Null()]),
  },
  { additionalProperties: false },
);
export const PlansFile = Type.Object(
  { plans: Type.Array(Plan, { minItems: 1 }) },
  { additionalProperties: false },
);

export type Plan = Static<typeof Plan>;

export const defaultQueuedRenders = 100;

const thirtyDaysSeconds = 30 * 24 * 60 * 60;

export const builtInPlans: Plan[] = [
  plan('free', 'Free', [500, 100, 30, 1], {
    overages: false,
    paid: false,
    max_link_seconds: thirtyDaysSeconds,
  }),
  plan('starter', 'Starter', [10_000, 2_000, 120, 3]),
  plan('pro', 'Pro', [100_000, 20_000, 600, 10]),
  plan('business', 'Business', [1_000_000, 100_000, 3_000, 25]),
];

export type Plans = ReturnType<typeof createPlans>;
/** Where a plan in force comes from. */
export type PlanSource = 'built-in' | 'dashboard' | 'file';

export function createPlans(fromFile: Plan[] = []) {
  const given = combine([]);

  function combine(stored: Plan[]) {
    const byId = new Map([...builtInPlans, ...stored, ...fromFile].map((plan) => [plan.id, plan]));
    const standard = byId.get(standardPlanId) as Plan;
    return {
      all: [...byId.values()],
      /** The plan of a new account. */
      standard,
      byId: (id: string): Plan | undefined => byId.get(id),
      /** A changed plans file can remove an account's plan; the account then has the standard plan. */
      orStandard: (id: string): Plan => byId.get(id) ?? standard,
      sourceOf(id: string): PlanSource {
        if (fromFile.some((plan) => plan.id === id)) return 'file';
        return stored.some((plan) => plan.id === id) ? 'dashboard' : 'built-in';
      },
    };
  }

  return {
    /** Those that are not stored. */
    given,
    inForce: async (tables: Tables) => combine((await tables.plans.list()).map(parse)),
    /** The plan of an account, from what was read along with it. */
    of: ({ plan, stored_plan: definition }: { plan: string } & WithStoredPlan): Plan =>
      (definition === null ? given : combine([parse({ definition })])).orStandard(plan),
    /** For the statement that counts requests, which combines them with the stored ones in the same way. */
    requestLimits: { builtIn: requestLimits(builtInPlans), fromFile: requestLimits(fromFile) },
  };
}

const parse = ({ definition }: Pick<PlanRow, 'definition'>): Plan => JSON.parse(definition) as Plan;

const requestLimits = (plans: Plan[]): Record<string, number> =>
  Object.fromEntries(plans.map((plan) => [plan.id, plan.requests_per_minute]));

function plan(
  id: string,
  name: string,
  [uploads, renders, requests, concurrent]: [number, number, number, number],
  rest: Pick<Plan, 'overages' | 'paid' | 'max_link_seconds'> = {
    overages: true,
    paid: true,
    max_link_seconds: null,
  },
): Plan {
  return {
    id,
    name,
    uploads_per_month: uploads,
    renders_per_month: renders,
    requests_per_minute: requests,
    concurrent_renders: concurrent,
    ...rest,
  };
}
