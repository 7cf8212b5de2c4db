// Accounts and their API keys, as the command line and the dashboard manage them. Spec 5.
import { newApiKey, newId, hashSecret } from '#core/ids.ts';
import type { Clock } from '#core/clock.ts';
import { parseGrants } from '#wall/grants.ts';
import type { Database, Tables } from '#storage/database.ts';
import type { AccountRow, ApiKeyRow, Flag, KeyScope } from '#storage/schema.ts';
import type { AccountChange, AccountWithPlan } from '#storage/tables/accounts.ts';
import { standardPlanId } from '#storage/tables/plans.ts';
import type { Plan, Plans } from '#accounts/plans.ts';

export type Accounts = ReturnType<typeof createAccounts>;

export type Account = ReturnType<typeof toAccount>;

export interface AccountUpdate {
  plan?: string;
  verified?: boolean;
  suspended?: boolean;
  /** Shown to the person. */
  suspendedReason?: string;
  overages?: boolean;
  owner?: boolean;
  /** Private hosts with their ports, separated by commas; they replace those before. */
  allowedHosts?: string;
}

export interface NewAccount {
  plan?: string;
  verified?: boolean;
  owner?: boolean;
}

/** A mistake by the operator: the message is one line for the terminal. */
export class AccountError extends Error {}

export function createAccounts(parts: { database: Database; plans: Plans; clock: Clock }) {
  const { database, plans, clock } = parts;
  const { tables } = database;

  async function requirePlan(within: Tables, id: string): Promise<Plan> {
    const { byId, all } = await plans.inForce(within);
    const plan = byId(id);
    if (plan) return plan;
    throw new AccountError(`unknown plan "${id}" (there are ${all.map((known) => known.id).join(', ')})`);
  }

  async function requireAccount(email: string): Promise<AccountWithPlan> {
    const row = await tables.accounts.byEmail(normalizeEmail(email));
    if (!row) throw new AccountError(`there is no account "${email}"`);
    return row;
  }

  /** The columns that a change sets; throws if the change is not valid for the account. */
  async function columnsOf(
    within: Tables,
    current: AccountWithPlan,
    change: AccountUpdate,
  ): Promise<AccountChange> {
    const plan = change.plan === undefined ? plans.of(current) : await requirePlan(within, change.plan);
    if (change.overages === true && !plan.overages) {
      throw new AccountError(`overages are not available on the plan "${plan.id}"`);
    }
    const { verified, suspended, overages, owner } = change;
    return {
      ...(change.plan !== undefined && { plan: change.plan }),
      ...(verified !== undefined && { verified: flag(verified) }),
      ...(suspended !== undefined && { suspended: flag(suspended) }),
      ...(suspended === true && { suspended_reason: change.suspendedReason ?? null }),
      ...(suspended === false && { suspended_reason: null }),
      ...(overages !== undefined && { overages: flag(overages) }),
      ...(owner !== undefined && { owner: flag(owner) }),
      ...(change.allowedHosts !== undefined && { allowed_hosts: requireHosts(change.allowedHosts) }),
    };
  }

  /** Runs in the caller's transaction, for callers that write more in it. */
  async function insert(within: Tables, email: string, options: NewAccount): Promise<AccountRow> {
    const plan = await requirePlan(within, options.plan ?? standardPlanId);
    const row = newAccount(email, plan.id, options, clock.now());
    if (!(await within.accounts.insert(row)))
      throw new AccountError(`there is already an account "${row.email}"`);
    return row;
  }

  return {
    create: async (email: string, options: NewAccount = {}): Promise<Account> =>
      toAccount(await insert(tables, email, options)),

    async update(email: string, change: AccountUpdate): Promise<Account> {
      const current = await requireAccount(email);
      if (Object.keys(change).length === 0) throw new AccountError(`nothing to change about "${email}"`);
      if (change.owner === false && current.owner === 1 && (await tables.accounts.countOwners()) === 1) {
        throw new AccountError(`"${email}" is the only owner; make another account owner first`);
      }
      const row = await tables.accounts.update(current.id, await columnsOf(tables, current, change));
      if (!row) throw new AccountError(`there is no account "${email}"`);
      return toAccount(row);
    },

    /** The owner's own switch, with a cap in units of each type. Undefined when there is no such account. */
    async setOverages(id: string, isOn: boolean, cap: number | null): Promise<AccountWithPlan | undefined> {
      return database.transaction(async (within) => {
        const current = await within.accounts.byId(id);
        if (!current) return undefined;
        const columns = await columnsOf(within, current, { overages: isOn });
        const row = await within.accounts.update(id, { ...columns, overage_cap: cap });
        return row && { ...row, stored_plan: current.stored_plan };
      });
    },

    /** Takes back a new account whose person could not be made. */
    async discardUnused(id: string): Promise<void> {
      if (await tables.people.exists(id)) return;
      await tables.accounts.update(id, { deleted_at: clock.now() });
      await tables.accounts.purge(id);
    },

    columnsOf,
    insert,
    require: requireAccount,
    list: async (): Promise<Account[]> => (await tables.accounts.list()).map(toAccount),
    isEmpty: (): Promise<boolean> => tables.accounts.isEmpty(),

    ...createKeys({ tables, clock, requireAccount }),
  };
}

const newAccount = (email: string, plan: string, options: NewAccount, created_at: number): AccountRow => ({
  id: newId(),
  email: normalizeEmail(email),
  plan,
  verified: flag(options.verified ?? true),
  suspended: 0,
  overages: 0,
  created_at,
  owner: flag(options.owner ?? false),
  suspended_reason: null,
  overage_cap: null,
  deleted_at: null,
  webhook_events: '',
  allowed_hosts: '',
});

function createKeys({
  tables,
  clock,
  requireAccount,
}: {
  tables: Tables;
  clock: Clock;
  requireAccount: (email: string) => Promise<AccountWithPlan>;
}) {
  return {
    /** The key is returned only here: only its hash is stored. */
    async createKey(
      email: string,
      name: string,
      {
        expiresInMs,
        key: given,
        scope = 'all',
        ...quota
      }: Partial<Omit<KeyTerms, 'name' | 'expiresAt'>> & {
        expiresInMs?: number;
        key?: string | undefined;
      } = {},
    ): Promise<{ id: string; key: string }> {
      const account = await requireAccount(email);
      const now = clock.now();
      const expiresAt = expiresInMs === undefined ? null : now + expiresInMs;
      const { key, row } = makeKey(account.id, { name, scope, expiresAt, ...quota }, now, given);
      await tables.apiKeys.insert(row);
      return { id: row.id, key };
    },

    listKeys: async (email: string): Promise<ApiKeyRow[]> =>
      tables.apiKeys.listOf((await requireAccount(email)).id),

    async revokeKey(id: string): Promise<ApiKeyRow> {
      const row = await tables.apiKeys.revoke(id, clock.now());
      if (!row) throw new AccountError(`there is no key "${id}"`);
      return row;
    },
  };
}

export interface KeyTerms {
  name: string;
  scope: KeyScope;
  /** Null for a key that does not expire. */
  expiresAt: number | null;
  /** Units of each type that it may use in a month; null for no limit but the plan's. */
  uploadsPerMonth?: number | null;
  rendersPerMonth?: number | null;
}

/** A new key, and the columns stored for it. */
export function makeKey(
  accountId: string,
  { name, scope, expiresAt, uploadsPerMonth = null, rendersPerMonth = null }: KeyTerms,
  now: number,
  key: string = newApiKey(),
): { key: string; row: ApiKeyRow } {
  const row = {
    id: newId(),
    account_id: accountId,
    name,
    key_hash: hashSecret(key),
    display: `${key.slice(0, 7)}…${key.slice(-4)}`,
    created_at: now,
    last_used_at: null,
    revoked_at: null,
    scope,
    expires_at: expiresAt,
    uploads_per_month: uploadsPerMonth,
    renders_per_month: rendersPerMonth,
  };
  return { key, row };
}

export function normalizeEmail(email: string): string {
  const normalized = email.trim().toLowerCase();
  // Catches typing mistakes only; the mail sent to the address shows whether it works.
  if (normalized.length > 254 || !/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(normalized)) {
    throw new AccountError(`"${email}" is not an e-mail address`);
  }
  return normalized;
}

export function toAccount(row: AccountRow) {
  return {
    id: row.id,
    email: row.email,
    plan: row.plan,
    verified: row.verified === 1,
    suspended: row.suspended === 1,
    overages: row.overages === 1,
    allowed_hosts: row.allowed_hosts === '' ? [] : row.allowed_hosts.split(','),
  };
}

/** As they are stored: in lower case, without spaces. */
function requireHosts(text: string): string {
  const hosts = text.toLowerCase().replaceAll(/\s/g, '');
  try {
    parseGrants(hosts);
    return hosts;
  } catch (error) {
    throw new AccountError(`allowed hosts: ${(error as Error).message}`);
  }
}

const flag = (value: boolean): Flag => (value ? 1 : 0);
