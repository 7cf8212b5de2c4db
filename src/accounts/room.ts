// The accounts room: identifies callers and manages accounts.
import type { Logger } from 'pino';
import { hours, seconds, type Chore } from '#core/chore.ts';
import type { Clock } from '#core/clock.ts';
import type { Database } from '#storage/database.ts';
import { createAccounts } from '#accounts/accounts.ts';
import { createAdministration } from '#accounts/administration.ts';
import { createAuthentication } from '#accounts/authenticate.ts';
import { createKeys } from '#accounts/keys.ts';
import { createLinkKeys } from '#accounts/link-keys.ts';
import type { PasswordScheme } from '#accounts/password-hashing.ts';
import { createPlanEditing } from '#accounts/plan-editing.ts';
import type { Plans } from '#accounts/plans.ts';
import type { createSignIn, SignInSettings } from '#accounts/sign-in.ts';

interface Parts {
  database: Database;
  plans: Plans;
  clock: Clock;
  log: Logger;
  settings: SignInSettings;
  passwordScheme?: PasswordScheme | undefined;
}

export type AccountsRoom = Awaited<ReturnType<typeof createAccountsRoom>>;

export async function createAccountsRoom({ database, plans, clock, log, settings, passwordScheme }: Parts) {
  const authentication = createAuthentication({ database, plans, clock });
  const accounts = createAccounts({ database, plans, clock });
  const signIn = await openSignIn(settings, { database, accounts, clock, log }, passwordScheme);
  const chores: Chore[] = [
    { name: 'sweep of sessions', everyMs: hours(1), run: signIn.purgeExpired },
    {
      name: 'last use of keys',
      everyMs: seconds(30),
      run: authentication.flushLastUsed,
      onEveryMachine: true,
    },
  ];
  return {
    plans,
    accounts,
    authentication,
    signIn,
    installation: signIn.installation,
    mailer: signIn.mailer,
    keys: createKeys({ database, clock }),
    linkKeys: createLinkKeys({ database, plans, clock }),
    planEditing: createPlanEditing({ database, plans, clock }),
    administration: createAdministration({ database, accounts, signIn, clock }),
    chores,
    async close(): Promise<void> {
      await authentication
        .flushLastUsed()
        .catch((error: unknown) => log.warn({ err: error }, 'last use of keys'));
      await signIn.close();
    },
  };
}

/** Loaded when needed: most of the operator's commands do not need it, and loading takes half a second. */
export const openSignIn: typeof createSignIn = async (...given) =>
  (await import('#accounts/sign-in.ts')).createSignIn(...given);
