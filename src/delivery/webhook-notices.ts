// Mails the owner of an endpoint that was switched off. The row that switches it off asks for the mail, so it is sent once, by
// whichever machine comes first.
import type { Logger } from 'pino';
import type { Database } from '#storage/database.ts';
import type { DueNotice } from '#storage/tables/webhooks.ts';
import type { Mailer } from '#accounts/mailer.ts';
import { maxWaiting } from '#delivery/events.ts';
import { maxAttempts } from '#delivery/retries.ts';

/** Mails per run of the chore. */
const roundSize = 50;

export function createWebhookNotices(parts: {
  database: Database;
  mailer: Mailer;
  baseUrl: string;
  log: Logger;
}) {
  const { database, mailer, baseUrl, log } = parts;
  const { webhooks } = database.tables;

  /** False if the mail server is down; the others then wait for the next run. */
  async function send(notice: DueNotice): Promise<boolean> {
    if (!(await webhooks.claimNotice(notice.id))) return true;
    try {
      await mailer.deliver({
        to: notice.email,
        subject: 'A webhook endpoint was switched off',
        text: textOf(notice),
        link: `${baseUrl}/dashboard/webhooks`,
      });
      return true;
    } catch (error) {
      // 5xx: the server refuses this address permanently.
      const isRefused = Number((error as { responseCode?: unknown }).responseCode) >= 500;
      log.error(
        { err: error, account: notice.account_id },
        'could not mail that an endpoint was switched off',
      );
      if (!isRefused) await webhooks.releaseNotice(notice.id);
      return isRefused;
    }
  }

  return {
    async sendWaiting(): Promise<void> {
      for (const notice of await webhooks.dueNotices(roundSize)) if (!(await send(notice))) return;
    },
  };
}

function textOf({ url, off_reason }: DueNotice): string {
  const why =
    off_reason === 'crowded'
      ? `${maxWaiting.toLocaleString('en')} messages were waiting for it`
      : `it took no message for a day; the last was tried ${maxAttempts} times`;
  return (
    `Tintype no longer sends webhooks to ${url}: ${why}. ` +
    'When the receiver works again, switch the endpoint on in the dashboard. Messages of the last days can be sent again there.'
  );
}
