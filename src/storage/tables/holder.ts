// What an account allows the holder of one of its keys or links: read with the key, in one look-up.
import { sql } from 'kysely';
import type { AccountRow } from '#storage/schema.ts';
import type { WithStoredPlan } from '#storage/tables/plans.ts';

const names = [
  'plan',
  'verified',
  'suspended',
  'overages',
  'overage_cap',
  'webhook_events',
  'allowed_hosts',
] as const;

export type Holder = Pick<AccountRow, (typeof names)[number]> & WithStoredPlan;

/** The columns of `accounts`; `stored_plan` is not among them. */
export const holderColumns = sql.join(names.map((name) => sql.ref(name)));
