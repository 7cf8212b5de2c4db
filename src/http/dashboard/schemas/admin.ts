// The owner's pages.
import { Type, type Static } from 'typebox';
import { linkKinds } from '#accounts/administration.ts';
import {
  choice,
  count,
  id,
  Linked,
  nextCursor,
  orNull,
  pageQuery,
  Plan,
  strict,
  text,
  time,
} from '#http/dashboard/schemas/common.ts';

const MonthUse = Type.Object({ used: count, overage: count }, strict);

export const AdminAccount = Type.Object(
  {
    id,
    email: Type.String(),
    plan: Type.String(),
    verified: Type.Boolean(),
    suspended: Type.Boolean(),
    suspended_reason: orNull(Type.String()),
    overages: Type.Boolean(),
    overage_cap: orNull(count),
    owner: Type.Boolean(),
    created_at: time,
    /** In this month. */
    usage: Type.Object({ upload: MonthUse, render: MonthUse }, strict),
  },
  strict,
);
export type AdminAccount = Static<typeof AdminAccount>;

export const AdminAccountsQuery = Type.Object(
  { ...pageQuery, search: Type.Optional(Type.String({ maxLength: 100 })) },
  strict,
);
export const AdminAccounts = Type.Object(
  { items: Type.Array(AdminAccount), next_cursor: nextCursor, plans: Type.Array(Plan) },
  strict,
);
/** The new account's person gets a mail with a one-time link to set a password. */
export const CreateAccount = Type.Object(
  { email: text(3, 254), plan: Type.String({ maxLength: 40 }) },
  strict,
);
export const CreatedAccount = Type.Object({ account: AdminAccount, ...Linked.properties }, strict);
/** A link for the person: signs in once, sets a password, or verifies the e-mail address. */
export const MakeLink = Type.Object({ kind: choice(linkKinds) }, strict);
/** The address of the account, typed to confirm. */
export const RemoveAccount = Type.Object({ email: text(1, 254) }, strict);
export const ChangeAccount = Type.Object(
  {
    plan: Type.Optional(Type.String({ maxLength: 40 })),
    verified: Type.Optional(Type.Boolean()),
    suspended: Type.Optional(Type.Boolean()),
    /** Shown to the person; required to suspend. */
    suspended_reason: Type.Optional(text(1, 500)),
    overages: Type.Optional(Type.Boolean()),
    owner: Type.Optional(Type.Boolean()),
  },
  strict,
);

const signups = choice(['open', 'closed']);
export const InstallationView = Type.Object(
  {
    signups,
    /** True if the variable SIGNUPS is set: the dashboard cannot change it. */
    signups_fixed: Type.Boolean(),
    operator_contact: orNull(Type.String()),
    sends_mail: Type.Boolean(),
  },
  strict,
);
export type InstallationView = Static<typeof InstallationView>;
export const ChangeInstallation = Type.Object(
  {
    signups: Type.Optional(signups),
    operator_contact: Type.Optional(orNull(Type.String({ maxLength: 200 }))),
  },
  strict,
);
/** `problem` is the mail server's error; null when it accepted the message. */
export const TestMail = Type.Object({ to: Type.String(), problem: orNull(Type.String()) }, strict);

export const OveragesQuery = Type.Object(
  {
    /** Such as 2026-11; defaults to this month. */
    month: Type.Optional(Type.String({ pattern: '^\\d{4}-(0[1-9]|1[0-2])$' })),
  },
  strict,
);
export const Overages = Type.Object(
  {
    month: Type.String(),
    items: Type.Array(
      Type.Object(
        { account_id: id, email: Type.String(), plan: Type.String(), upload: count, render: count },
        strict,
      ),
    ),
  },
  strict,
);

export const Health = Type.Object(
  {
    checks: Type.Array(
      Type.Object(
        { name: Type.String(), state: choice(['ok', 'failing']), detail: orNull(Type.String()) },
        strict,
      ),
    ),
    stored: Type.Object({ uploads: count, upload_bytes: count, renders: count, render_bytes: count }, strict),
    browser: Type.Object(
      {
        name: Type.String(),
        version: Type.String(),
        source: Type.String(),
        sandboxed: Type.Boolean(),
        installed_at: time,
        /** How to get a newer version. */
        renewal: Type.String(),
        /** Renders on this machine now. */
        running: count,
        waiting: count,
      },
      strict,
    ),
    version: Type.String(),
    runtime: Type.String(),
    database: Type.String(),
    /** Where the data is stored; null when none of it is on this machine. */
    disk: orNull(Type.Object({ free_bytes: count, total_bytes: count }, strict)),
    memory: Type.Object({ used_bytes: count, machine_free_bytes: count, machine_total_bytes: count }, strict),
    uptime_seconds: count,
  },
  strict,
);

export const AuditQuery = Type.Object({ ...pageQuery }, strict);
export const Audit = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          id,
          at: time,
          actor: Type.String(),
          action: Type.String(),
          /** The e-mail address of the account that was acted on. */
          target: orNull(Type.String()),
          detail: Type.Record(Type.String(), Type.Unknown()),
        },
        strict,
      ),
    ),
    next_cursor: nextCursor,
  },
  strict,
);
