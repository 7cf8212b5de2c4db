// What the owner's pages send.
import { Type } from 'typebox';
import { linkKinds } from '#accounts/administration.ts';
import { Plan } from '#accounts/plans.ts';
import { choice, object, orNull, pageQuery, text } from '#api/common-schemas.ts';

export const AdminAccountsQuery = object({
  ...pageQuery,
  search: Type.Optional(Type.String({ maxLength: 100 })),
});
/** The new account's person gets a mail with a one-time link to set a password. */
export const CreateAccount = object({ email: text(3, 254), plan: Type.String({ maxLength: 40 }) });
/** A link for the person: signs in once, sets a password, or verifies the e-mail address. */
export const MakeLink = object({ kind: choice(linkKinds) });
/** The address of the account, typed to confirm. */
export const RemoveAccount = object({ email: text(1, 254) });
export const ChangeAccount = object({
  plan: Type.Optional(Type.String({ maxLength: 40 })),
  verified: Type.Optional(Type.Boolean()),
  suspended: Type.Optional(Type.Boolean()),
  /** Shown to the person; required to suspend. */
  suspended_reason: Type.Optional(text(1, 500)),
  overages: Type.Optional(Type.Boolean()),
  owner: Type.Optional(Type.Boolean()),
  /** Private hosts with their ports, separated by commas. */
  allowed_hosts: Type.Optional(Type.String({ maxLength: 5_000 })),
});
/** As in a plans file. Accounts name their plan by its id, which therefore stays. */
export const CreatePlan = Plan;
export const ChangePlan = Type.Partial(Type.Omit(Plan, ['id']));
export const ChangeInstallation = object({
  signups: Type.Optional(choice(['open', 'closed'])),
  operator_contact: Type.Optional(orNull(Type.String({ maxLength: 200 }))),
});
export const OveragesQuery = object({
  /** Such as 2026-11; defaults to this month. */
  month: Type.Optional(Type.String({ pattern: '^\\d{4}-(0[1-9]|1[0-2])$' })),
});
export const AuditQuery = object(pageQuery);
