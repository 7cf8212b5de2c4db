// Mails a warning when 80, 90 or 100 percent of a month's quota are used. The unit that reaches a threshold writes a row in its own
// transaction (quota.ts), so each threshold is recorded once; a chore mails the rows, and no request waits for it.
import type { Logger } from 'pino';
import type { Clock } from '#core/clock.ts';
import type { Database } from '#storage/database.ts';
import type { WaitingWarning } from '#storage/tables/quota-warnings.ts';
import type { Mailer } from '#accounts/mailer.ts';
import { monthOf, nextMonth } from '#metering/quota.ts';

/** Mails per run of the chore. */
const roundSize = 50;

export function createQuotaWarnings(parts: {
  database: Database;
  mailer: Mailer;
  baseUrl: string;
  clock: Clock;
  log: Logger;
}) {
  const { database, mailer, baseUrl, clock, log } = parts;
  const { quotaWarnings } = database.tables;

  /** False if the mail server is down; the remaining warnings then wait for the next run. */
  async function send(warning: WaitingWarning): Promise<boolean> {
    if (!(await quotaWarnings.claim(warning, clock.now()))) return true;
    try {
      await mailer.deliver({ to: warning.email, ...textOf(warning), link: `${baseUrl}/dashboard/usage` });
      return true;
    } catch (error) {
      // 5xx: the server refuses this address permanently.
      const isRefused = Number((error as { responseCode?: unknown }).responseCode) >= 500;
      log.error({ err: error, account: warning.account_id }, 'could not mail a quota warning');
      if (!isRefused) await quotaWarnings.release(warning);
      return isRefused;
    }
  }

  return {
    async sendWaiting(): Promise<void> {
      await quotaWarnings.purgeBefore(monthOf(clock.now()));
      for (const warning of await quotaWarnings.waiting(roundSize)) if (!(await send(warning))) return;
    },
  };
}

function textOf({ unit, percent, used, quota, created_at }: WaitingWarning): {
  subject: string;
  text: string;
} {
  const resets = nextMonth(created_at).toISOString().slice(0, 10);
  const what = unit === 'upload' ? 'uploads' : 'renders';
  const next =
    percent < 100
      ? `At 100 %, more ${what} are refused, or count as overages if those are on.`
      : `More ${what} are refused until then, or count as overages if those are on. A larger plan lifts the limit at once.`;
  return {
    subject: `${percent} % of this month's ${what} are used`,
    text:
      `Your Tintype account has used ${used.toLocaleString('en')} of the ${quota.toLocaleString('en')} ${what} of this month. ` +
      `The quota resets on ${resets} (UTC). ${next}`,
  };
}
