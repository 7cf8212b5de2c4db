// The owner's pages: accounts, overages, health and the audit log.
import type { Clock } from '#core/clock.ts';
import { invalid, notFound } from '#core/errors.ts';
import type { Tables } from '#storage/database.ts';
import { pageOptions } from '#storage/owned/cursor.ts';
import type { AccountRow, ApiKeyRow, Unit, UsageCounterRow } from '#storage/schema.ts';
import type { StoredTotals } from '#storage/tables/stored.ts';
import { dayOf } from '#storage/tables/usage.ts';
import { toAccount } from '#accounts/accounts.ts';
import { monthOf } from '#metering/quota.ts';
import { sendCsv } from '#console/csv.ts';
import { asFieldError, found } from '#console/errors.ts';
import { monthUsage } from '#api/month-usage.ts';
import type { DashboardParts, Handlers } from '#console/serve.ts';
import { isoTime, toPage } from '#api/common-views.ts';
import { keyView, unusedKey } from '#console/views.ts';

const recentDays = 30;

export function adminHandlers({ clock, database, accounts }: DashboardParts) {
  const { tables } = database;
  const { plans, signIn, administration, accountDeletion, authentication } = accounts;

  async function countersOf(rows: AccountRow[]): Promise<UsageCounterRow[]> {
    const ids = rows.map(({ id }) => id);
    return ids.length > 0 ? tables.usage.ofAccounts(ids, monthOf(clock.now())) : [];
  }

  return {
    async 'GET /admin/accounts'({ query }) {
      const page = pageOptions(query);
      const rows = await tables.accounts.page(query.search, page);
      const counters = await countersOf(rows);
      return {
        ...toPage(rows, page, (row) => accountView(row, counters)),
        plans: (await plans.inForce(tables)).all,
      };
    },
    async 'POST /admin/accounts'({ person, body }) {
      const row = await asFieldError('account', () =>
        administration.create(person.account, body.email, body.plan),
      );
      const link = await signIn.invite(row);
      return { account: accountView(row, await countersOf([row])), mail: signIn.delivery, link };
    },
    /** What an account has and uses: numbers and names, no files, addresses or secrets. */
    async 'GET /admin/accounts/:id'({ person, id }) {
      const row = found(await administration.look(person.account, id));
      await authentication.flushLastUsed();
      const owned = tables.ownedBy(row.id);
      const now = clock.now();
      const today = dayOf(now);
      const days = await owned.usage.days(today - recentDays + 1, today);
      const recently = (unit: Unit) =>
        days.filter((day) => day.unit === unit).reduce((sum, { used }) => sum + used, 0);
      return {
        account: accountView(row, await countersOf([row])),
        month: await monthUsage(database, row.id, plans.of(row), now),
        recent: { days: recentDays, upload: recently('upload'), render: recently('render') },
        stored: {
          uploads: totalsView(await owned.uploads.totals({}, now)),
          renders: totalsView(await owned.renders.totals(now)),
        },
        keys: (await owned.keys.list()).map((key) => adminKeyView(key, now)),
      };
    },
    async 'PATCH /admin/accounts/:id'({ person, id, body }) {
      const { suspended_reason, allowed_hosts, ...rest } = body;
      if (rest.suspended === true && suspended_reason === undefined) {
        throw invalid('suspended_reason', 'missing; say why, for the person to read');
      }
      const changed = await asFieldError('account', () =>
        administration.update(person.account, id, {
          ...rest,
          ...(suspended_reason !== undefined && { suspendedReason: suspended_reason }),
          ...(allowed_hosts !== undefined && { allowedHosts: allowed_hosts }),
        }),
      );
      const row = found(changed);
      return accountView(row, await countersOf([row]));
    },
    async 'POST /admin/accounts/:id/link'({ person, id, body }) {
      const made = await asFieldError('kind', () => administration.link(person.account, id, body.kind));
      return { mail: signIn.delivery, ...found(made) };
    },
    async 'POST /admin/accounts/:id/delete'({ person, id, body }) {
      const isThere = await asFieldError('email', () =>
        administration.remove(person.account, id, body.email, accountDeletion),
      );
      if (!isThere) throw notFound();
      return { done: true };
    },
    ...overageHandlers({ clock, tables }),
    async 'GET /admin/audit'({ query }) {
      const page = pageOptions(query);
      const rows = await tables.auditLog.page(page);
      return toPage(rows, page, ({ id, created_at, actor_email, action, target_email, detail }) => ({
        id,
        at: isoTime(created_at),
        actor: actor_email,
        action,
        target: target_email,
        detail: JSON.parse(detail) as Record<string, unknown>,
      }));
    },
  } satisfies Partial<Handlers>;
}

/** What accounts owe for a month. */
function overageHandlers({ clock, tables }: { clock: Clock; tables: Tables }) {
  async function overagesOf(month: string) {
    const items = new Map<
      string,
      { account_id: string; email: string; plan: string; upload: number; render: number }
    >();
    for (const { id, email, plan, unit, overage } of await tables.usage.overagesOf(month)) {
      const item = items.get(id) ?? { account_id: id, email, plan, upload: 0, render: 0 };
      items.set(id, { ...item, [unit]: overage });
    }
    return [...items.values()];
  }

  return {
    async 'GET /admin/overages'({ query }) {
      const month = query.month ?? monthOf(clock.now());
      return { month, items: await overagesOf(month) };
    },
    async 'GET /admin/overages.csv'({ query, reply }) {
      const month = query.month ?? monthOf(clock.now());
      const items = await overagesOf(month);
      return sendCsv(
        reply,
        `tintype-overages-${month}.csv`,
        ['month', 'account_id', 'email', 'plan', 'upload_units', 'render_units'],
        items.map((item) => ({ month, ...item, upload_units: item.upload, render_units: item.render })),
      );
    },
  } satisfies Partial<Handlers>;
}

const totalsView = ({ files, bytes, isMore }: StoredTotals & { isMore: boolean }) => ({
  files,
  bytes,
  /** Whether there are more, which were not read. */
  is_more: isMore,
});

/** Without the characters of the key that its own person sees. */
function adminKeyView(row: ApiKeyRow, now: number) {
  const { id, name, scope, state, created_at, last_used_at } = keyView(row, unusedKey, now);
  return { id, name, scope, state, created_at, last_used_at };
}

export type AdminAccount = ReturnType<typeof accountView>;

function accountView(row: AccountRow, counters: UsageCounterRow[]) {
  const useOf = (unit: Unit) => {
    const counter = counters.find((candidate) => candidate.account_id === row.id && candidate.unit === unit);
    return { used: counter?.used ?? 0, overage: counter?.overage ?? 0 };
  };
  return {
    ...toAccount(row),
    suspended_reason: row.suspended_reason,
    overage_cap: row.overage_cap,
    owner: row.owner === 1,
    created_at: isoTime(row.created_at),
    /** In this month. */
    usage: { upload: useOf('upload'), render: useOf('render') },
  };
}
