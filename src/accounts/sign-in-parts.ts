// What sessions, links and passwords of the dashboard share.
import type { Logger } from 'pino';
import type { Clock } from '#core/clock.ts';
import type { Database } from '#storage/database.ts';
import type { Accounts } from '#accounts/accounts.ts';
import type { Auth } from '#accounts/auth.ts';
import type { Installation } from '#accounts/installation.ts';
import type { Mailer } from '#accounts/mailer.ts';
import type { OneTimeLinks } from '#accounts/one-time-links.ts';

export interface SignInParts {
  auth: Auth;
  oneTimeLinks: OneTimeLinks;
  database: Database;
  accounts: Accounts;
  installation: Installation;
  mailer: Mailer;
  baseUrl: string;
  clock: Clock;
  log: Logger;
}
