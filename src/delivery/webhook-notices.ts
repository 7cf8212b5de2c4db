// Mails the owner of an endpoint that was switched off. The row that switches it off asks for the mail, so it is sent once, by
// whichever machine comes first.
import type { Logger } from 'pino';
import type { Database } from '#storage/database.ts';
import type { DueNotice } from '#storage/tables/webhooks.ts';
import { deliverAll, type Mailer } from '#accounts/mailer.ts';
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
  const { database, baseUrl } = parts;
  const { webhooks } = database.tables;
  return {
    sendWaiting: async (): Promise<void> =>
      deliverAll(parts, {
        items: await webhooks.dueNotices(roundSize),
        claim: ({ id }) => webhooks.claimNotice(id),
        release: ({ id }) => webhooks.releaseNotice(id),
        mailOf: (notice) => ({
          to: notice.email,
          subject: 'A webhook endpoint was switched off',
          text: textOf(notice),
          link: `${baseUrl}/dashboard/webhooks`,
        }),
        problem: 'could not mail that an endpoint was switched off',
      }),
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
