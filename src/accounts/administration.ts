// What the operator does to accounts in the dashboard. Each change or look and its row in the audit log are one transaction. Owners
// cannot give up their own ownership, nor suspend, unverify or delete themselves or another owner here, so there is always
// a person who can undo a change.
import type { Clock } from '#core/clock.ts';
import type { Database } from '#storage/database.ts';
import type { AccountRow } from '#storage/schema.ts';
import type { AccountWithPlan } from '#storage/tables/accounts.ts';
import type { AccountDeletion } from '#accounts/account-deletion.ts';
import { AccountError, type Accounts, type AccountUpdate } from '#accounts/accounts.ts';
import { recordAct } from '#accounts/audit.ts';
import type { Unmailed } from '#accounts/mailed-links.ts';
import type { SignIn } from '#accounts/sign-in.ts';

/** The link signs in once, sets a password, or verifies the e-mail address. */
export const linkKinds = ['sign-in', 'password', 'verification'] as const;
export type LinkKind = (typeof linkKinds)[number];

export function createAdministration(parts: {
  database: Database;
  accounts: Accounts;
  signIn: SignIn;
  clock: Clock;
}) {
  const { database, accounts, signIn, clock } = parts;

  function refuseCuttingOff(actor: AccountRow, target: AccountRow, change: AccountUpdate): void {
    const isSelf = actor.id === target.id;
    if (isSelf && change.owner === false) throw new AccountError('you cannot take your own ownership away');
    const cut =
      change.suspended === true
        ? 'suspend'
        : change.verified === false
          ? 'take verification from'
          : undefined;
    if (cut === undefined) return;
    if (isSelf) throw new AccountError(`you cannot ${cut} your own account`);
    if (target.owner === 1)
      throw new AccountError(`you cannot ${cut} an owner; take the ownership away first`);
  }

  const make: Record<LinkKind, (account: AccountRow) => Promise<Unmailed>> = {
    'sign-in': signIn.invite,
    password: signIn.sendPasswordLink,
    verification: signIn.sendVerification,
  };

  return {
    create(actor: AccountRow, email: string, plan: string): Promise<AccountRow> {
      return database.transaction(async (tables) => {
        const row = await accounts.insert(tables, email, { plan });
        await recordAct(tables, actor, clock.now(), {
          action: 'account.create',
          target: row,
          detail: { plan },
        });
        return row;
      });
    },

    /** The account for the owner to look into. Undefined when there is no such account. */
    async look(actor: AccountRow, id: string): Promise<AccountWithPlan | undefined> {
      return database.transaction(async (tables) => {
        const target = await tables.accounts.byId(id);
        if (target)
          await recordAct(tables, actor, clock.now(), { action: 'account.look', target, detail: {} });
        return target;
      });
    },

    /** Undefined when there is no such account. */
    async update(actor: AccountRow, id: string, change: AccountUpdate): Promise<AccountRow | undefined> {
      return database.transaction(async (tables) => {
        const current = await tables.accounts.byId(id);
        if (!current) return undefined;
        refuseCuttingOff(actor, current, change);
        const row = await tables.accounts.update(id, await accounts.columnsOf(tables, current, change));
        const act = { action: actionOf(change), target: current, detail: change };
        await recordAct(tables, actor, clock.now(), act);
        return row;
      });
    },

    /** Makes a link for the person: mailed, or returned if no mail is configured. Undefined when there is no such account. */
    async link(actor: AccountRow, id: string, kind: LinkKind): Promise<{ link: Unmailed } | undefined> {
      const { tables } = database;
      const target = await tables.accounts.byId(id);
      if (!target) return undefined;
      if (kind === 'verification' && target.verified === 1) throw new AccountError('is verified already');
      await recordAct(tables, actor, clock.now(), { action: 'account.link', target, detail: { kind } });
      return { link: await make[kind](target) };
    },

    /** The account stops working at once; its files are deleted in the background. False when there is no such account. */
    async remove(actor: AccountRow, id: string, email: string, deletion: AccountDeletion): Promise<boolean> {
      const target = await database.tables.accounts.byId(id);
      if (!target) return false;
      if (target.id === actor.id) throw new AccountError('delete your own account in your settings');
      if (target.owner === 1)
        throw new AccountError('you cannot delete an owner; take the ownership away first');
      if (email.trim().toLowerCase() !== target.email)
        throw new AccountError(`type ${target.email} to confirm`);
      await deletion.begin(id, actor);
      return true;
    },
  };
}

function actionOf({ suspended }: AccountUpdate): string {
  if (suspended === undefined) return 'account.update';
  return suspended ? 'account.suspend' : 'account.reinstate';
}
