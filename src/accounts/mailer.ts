// Sends mails with a link in them. Without SMTP_URL the link is logged instead, and the pages say so.
import type { Logger } from 'pino';

export interface Mail {
  to: string;
  subject: string;
  /** One or two sentences; the link follows them. */
  text: string;
  link: string;
}

export interface Mailer {
  readonly delivery: 'sent' | 'logged';
  /** Never rejects: the requester must not learn whether the address exists, nor wait for a mail server. */
  send(mail: Mail): void;
  /** Sends a message without a link, to test delivery; rejects with the mail server's error. */
  sendTest(to: string): Promise<void>;
  /** For mails that no request waits for: rejects when the mail server did not accept it. */
  deliver(mail: Mail): Promise<void>;
  /** Waits for mails that are being sent. */
  close(): Promise<void>;
}

const smtpMs = 20_000;

/** Mails that wait in the database: the machine that claims one sends it. */
interface Waiting<Item> {
  items: Item[];
  claim(item: NoInfer<Item>): Promise<boolean>;
  release(item: NoInfer<Item>): Promise<void>;
  mailOf(item: NoInfer<Item>): Mail;
  /** What the log says of one that could not be sent. */
  problem: string;
}

/** Sends them one after the other. If the mail server is down, the others wait for the next run. */
export async function deliverAll<Item extends { account_id: string }>(
  { mailer, log }: { mailer: Mailer; log: Logger },
  { items, claim, release, mailOf, problem }: Waiting<Item>,
): Promise<void> {
  for (const item of items) {
    if (!(await claim(item))) continue;
    try {
      await mailer.deliver(mailOf(item));
    } catch (error) {
      log.error({ err: error, account: item.account_id }, problem);
      // 5xx: the server refuses this address permanently.
      if (Number((error as { responseCode?: unknown }).responseCode) >= 500) continue;
      await release(item);
      return;
    }
  }
}

export async function createMailer({
  smtpUrl,
  from,
  log,
}: {
  smtpUrl: string | undefined;
  from: string;
  log: Logger;
}): Promise<Mailer> {
  if (smtpUrl === undefined) {
    const note = ({ to, subject, link }: Mail): void =>
      log.info({ to, link }, `${subject} (no SMTP_URL is set: not mailed)`);
    return {
      delivery: 'logged',
      sendTest: async () => {
        throw new Error('no mail server is set: start the service with SMTP_URL');
      },
      send: note,
      deliver: async (mail) => note(mail),
      close: async () => {},
    };
  }
  // Imported here: without a mail server it is not needed.
  const { createTransport } = await import('nodemailer');
  const transport = createTransport(
    { url: smtpUrl, connectionTimeout: smtpMs, greetingTimeout: smtpMs, socketTimeout: smtpMs },
    { from },
  );
  const underWay = new Set<Promise<unknown>>();
  async function deliver({ to, subject, text, link }: Mail): Promise<void> {
    await transport.sendMail({ to, subject, text: `${text}\n\n${link}\n` });
  }
  return {
    delivery: 'sent',
    deliver,
    send(mail) {
      const { to, subject } = mail;
      const sending = deliver(mail)
        .catch((error: unknown) => log.error({ err: error, to }, `the mail "${subject}" was not sent`))
        .finally(() => underWay.delete(sending));
      underWay.add(sending);
    },
    async sendTest(to) {
      await transport.sendMail({
        to,
        subject: 'A test message from Tintype',
        text: 'Mail from this installation of Tintype arrives.\n',
      });
    },
    async close() {
      await Promise.all(underWay);
      transport.close();
    },
  };
}
