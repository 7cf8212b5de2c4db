// What each plan allows. Spec 8. A plans file adds plans and replaces built-in ones.
import { Type, type Static } from 'typebox';
import { Errors } from 'typebox/schema';

/** The maximum fits into a column of 32 bits; as seconds it is 31 years, which every date can hold. */
const from = (minimum: 0 | 1) => Type.Integer({ minimum, maximum: 1_000_000_000 });

const Plan = Type.Object(
  {
    id: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$' }),
    name: Type.String({ minLength: 1, maxLength: 60 }),
    uploads_per_month: from(0),
    renders_per_month: from(0),
    requests_per_minute: from(1),
    concurrent_renders: from(0),
    /** 100 if it is left out. */
    queued_renders: Type.Optional(from(0)),
    overages: Type.Boolean(),
    paid: Type.Boolean(),
    max_link_seconds: Type.Union([from(1), Type.Null()]),
  },
  { additionalProperties: false },
);
const PlansFile = Type.Object({ plans: Type.Array(Plan, { minItems: 1 }) }, { additionalProperties: false });

export type Plan = Static<typeof Plan>;

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

export function createPlans(extra: Plan[] = []) {
  const byId = new Map([...builtInPlans, ...extra].map((plan) => [plan.id, plan]));
  const standard = byId.get('free') as Plan;
  return {
    all: [...byId.values()],
    /** The plan of a new account. */
    standard,
    byId: (id: string): Plan | undefined => byId.get(id),
    /** A changed plans file can remove an account's plan; the account then has the standard plan. */
    orStandard: (id: string): Plan => byId.get(id) ?? standard,
  };
}

/** Throws with the location and the reason, such as `/plans/0/name: must be string`. */
export function parsePlans(json: string): Plan[] {
  const value: unknown = JSON.parse(json);
  const [, [error]] = Errors(PlansFile, value);
  if (error) throw new Error(`${error.instancePath || '/'}: ${error.message}`);
  const { plans } = value as Static<typeof PlansFile>;
  const repeated = plans.find((plan, index) => plans.findIndex(({ id }) => id === plan.id) !== index);
  if (repeated) throw new Error(`/plans: "${repeated.id}" is there twice`);
  return plans;
}

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
