// Mails a warning when 80, 90 or 100 percent of a month's quota are used. The unit that reaches a threshold writes a row in its own
// transaction (quota.ts), so each threshold is recorded once; a chore mails the rows, and no request waits for it.
import type { Logger } from 'pino';
import type { Clock } from '#core/clock.ts';
import type { Database } from '#storage/database.ts';
import type { WaitingWarning } from '#storage/tables/quota-warnings.ts';
import { deliverAll, type Mailer } from '#accounts/mailer.ts';
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
  const { database, baseUrl, clock } = parts;
  const { quotaWarnings } = database.tables;
  return {
    async sendWaiting(): Promise<void> {
      await quotaWarnings.purgeBefore(monthOf(clock.now()));
      await deliverAll(parts, {
        items: await quotaWarnings.waiting(roundSize),
        claim: (warning) => quotaWarnings.claim(warning, clock.now()),
        release: quotaWarnings.release,
        mailOf: (warning) => ({ to: warning.email, ...textOf(warning), link: `${baseUrl}/dashboard/usage` }),
        problem: 'could not mail a quota warning',
      });
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
