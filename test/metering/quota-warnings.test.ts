// Quota warnings by mail: one at each of 80, 90 and 100 percent, however many machines run the chore.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { pino } from 'pino';
import type { Caller } from '#accounts/authenticate.ts';
import { createMailer } from '#accounts/mailer.ts';
import { builtInPlans } from '#accounts/plans.ts';
import { consumeUnits } from '#metering/quota.ts';
import { createQuotaWarnings } from '#metering/quota-warnings.ts';
import { startMailbox, type Mailbox } from '#test/support/mailbox.ts';
import { createTestClock } from '#test/support/clock.ts';
import { databaseEngines, type OpenDatabase } from '#test/storage/engines.ts';
import { accountRow } from '#test/storage/rows.ts';

const log = pino({ level: 'silent' });

for (const engine of databaseEngines) {
  describe(`quota warnings on ${engine.name}`, () => {
    let opened: OpenDatabase;
    let mailbox: Mailbox;
    const clock = createTestClock(Date.UTC(2026, 10, 10));
    before(async () => {
      opened = await engine.open();
      mailbox = await startMailbox();
    });
    after(async () => {
      await opened.close();
      await mailbox.close();
    });

    async function newPayer(quota: number): Promise<Caller & { email: string }> {
      const account = accountRow();
      await opened.database.tables.accounts.insert(account);
      const plan = { ...builtInPlans[0]!, uploads_per_month: quota };
      return {
        accountId: account.id,
        keyId: null,
        plan,
        mayOverrun: true,
        overageCap: null,
        webhookEvents: '',
        allowedHosts: '',
        email: account.email,
      };
    }

    async function use(payer: Caller, units: number): Promise<void> {
      for (let unit = 0; unit < units; unit += 1)
        await opened.database.transaction((tables) =>
          consumeUnits(tables, payer, 'upload', [crypto.randomUUID()], clock.now()),
        );
    }

    async function machine(smtpUrl = mailbox.url) {
      const database = await opened.openAnother();
      const mailer = await createMailer({ smtpUrl, from: 'tintype@localhost', log });
      const warnings = createQuotaWarnings({ database, mailer, baseUrl: 'http://tintype.test', clock, log });
      return {
        ...warnings,
        async [Symbol.asyncDispose]() {
          await mailer.close();
          await database.close();
        },
      };
    }

    test('each threshold is mailed once, although three machines run the chore repeatedly', async () => {
      const payer = await newPayer(20);
      await using first = await machine();
      await using second = await machine();
      await using third = await machine();
      const round = () => Promise.all([first, second, third].map(({ sendWaiting }) => sendWaiting()));
      const subjects = () => mailbox.subjects(payer.email);
      await use(payer, 15);
      await round();
      assert.deepEqual(subjects(), []);
      await use(payer, 2);
      await round();
      await round();
      assert.deepEqual(subjects(), ["80 % of this month's uploads are used"]);
      await use(payer, 5);
      await round();
      assert.deepEqual(subjects().toSorted(), [
        "100 % of this month's uploads are used",
        "80 % of this month's uploads are used",
        "90 % of this month's uploads are used",
      ]);
      assert.equal(await mailbox.link(payer.email), 'http://tintype.test/dashboard/usage');
    });

    test('the same threshold again after an upgrade: no second mail in the month; one in the next month', async () => {
      const payer = await newPayer(5);
      await using sender = await machine();
      await use(payer, 4);
      await use({ ...payer, plan: { ...payer.plan, uploads_per_month: 10 } }, 4);
      await sender.sendWaiting();
      assert.deepEqual(mailbox.subjects(payer.email), ["80 % of this month's uploads are used"]);
      await clock.advance(30 * 86_400_000);
      await use(payer, 4);
      await sender.sendWaiting();
      assert.equal(mailbox.subjects(payer.email).length, 2);
      await clock.advance(-30 * 86_400_000);
    });

    test('if the mail server is down, the mail is sent when it is back', async () => {
      const payer = await newPayer(5);
      await use(payer, 4);
      await using cutOff = await machine('smtp://127.0.0.1:1');
      await cutOff.sendWaiting();
      assert.deepEqual(mailbox.subjects(payer.email), []);
      await using sender = await machine();
      await sender.sendWaiting();
      assert.deepEqual(mailbox.subjects(payer.email), ["80 % of this month's uploads are used"]);
    });
  });
}
