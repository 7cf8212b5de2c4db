// Which requests are admitted, and how many, on every engine; with a shared database, across machines.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ServiceError } from '#core/errors.ts';
import type { Database } from '#storage/database.ts';
import { createAccounts, type Accounts } from '#accounts/accounts.ts';
import { createAuthentication, type KeyRefusedError, type KeyUse } from '#accounts/authenticate.ts';
import { builtInPlans, createPlans, type Plan } from '#accounts/plans.ts';
import { createAdmission, type Admission } from '#metering/admission.ts';
import { createRequestBudget } from '#metering/request-budget.ts';
import { databaseEngines, type OpenDatabase } from '#test/storage/engines.ts';
import { createTestClock, type TestClock } from '#test/support/clock.ts';
import { watchStatements } from '#test/support/statements.ts';

for (const engine of databaseEngines) {
  describe(`admission on ${engine.name}`, () => {
    let opened: OpenDatabase;
    const machines: Machine[] = [];
    const standsAt = Date.now();

    before(async () => {
      opened = await engine.open();
      machines.push(startMachine(opened.database), startMachine(await opened.openAnother()));
    });
    after(() => opened.close());

    interface Machine {
      accounts: Accounts;
      admission: Admission;
      clock: TestClock;
    }

    function startMachine(database: Database, fromFile: Plan[] = []): Machine {
      const plans = createPlans(fromFile);
      const clock = createTestClock(standsAt);
      const authentication = createAuthentication({ database, plans, clock });
      const accounts = createAccounts({ database, plans, clock });
      const budget = createRequestBudget({ clock });
      const admission = createAdmission({ authentication, budget, database, plans, clock });
      return { accounts, admission, clock };
    }

    let accountCount = 0;
    async function newKey(plan = 'free') {
      const { accounts } = machineAt(0);
      const email = `user${(accountCount += 1)}@example.com`;
      await accounts.create(email, { plan });
      return { email, ...(await accounts.createKey(email, 'test')) };
    }
    const machineAt = (index: number): Machine => machines[index] as Machine;
    const admit = (key: string, index = 0, use: KeyUse = 'upload') =>
      machineAt(index).admission.admit(`Bearer ${key}`, use, '192.0.2.1');

    test('8 of a hundred parallel requests, exactly the budget is admitted', async () => {
      const { key } = await newKey();
      const answers = await Promise.all(Array.from({ length: 100 }, () => admit(key)));
      const admitted = answers.filter(({ standing }) => !standing.isSpent);
      assert.deepEqual(
        admitted.map(({ standing }) => standing.remaining).toSorted((a, b) => a - b),
        Array.from({ length: 30 }, (_, index) => index),
      );
      for (const { standing } of answers) {
        assert.equal(standing.limit, 30);
        assert.equal(standing.resetSeconds, 60);
      }
      assert.ok(answers.every(({ standing }) => !standing.isSpent || standing.remaining === 0));
    });

    test('8 all keys of an account share its budget', async () => {
      const { key, email } = await newKey();
      const { key: second } = await machineAt(0).accounts.createKey(email, 'second');
      assert.equal((await admit(key)).standing.remaining, 29);
      assert.equal((await admit(second)).standing.remaining, 28);
    });

    test('8 the window opens with the first request and refills when it rolls over', async () => {
      const { key } = await newKey();
      const { clock } = machineAt(0);
      for (let count = 0; count < 31; count += 1) await admit(key);
      await clock.advance(40_000);
      const late = (await admit(key)).standing;
      assert.equal(late.isSpent, true);
      assert.equal(late.resetSeconds, 20);
      await clock.advance(20_000);
      const fresh = (await admit(key)).standing;
      assert.deepEqual({ ...fresh }, { limit: 30, remaining: 29, resetSeconds: 60, isSpent: false });
      await clock.advance(-60_000);
    });

    test('8 refused requests are not counted: after an upgrade the rest of the larger budget is available at once', async () => {
      const { key, email } = await newKey();
      for (let count = 0; count < 60; count += 1) await admit(key);
      await machineAt(0).accounts.update(email, { plan: 'starter' });
      // With a shared database a spent budget is remembered for 250 ms.
      await machineAt(0).clock.advance(300);
      const { standing } = await admit(key);
      assert.equal(standing.isSpent, false);
      assert.equal(standing.limit, 120);
      assert.equal(standing.remaining, 89);
      await machineAt(0).clock.advance(-300);
    });

    test('8 a plan that an owner stores counts on every machine from the next request on; one of the file overrides it', async () => {
      const { plans, accounts } = opened.database.tables;
      const planOf = (id: string, requests: number): Plan => ({
        ...builtInPlans[0]!,
        id,
        requests_per_minute: requests,
      });
      const store = (id: string, requests: number) =>
        plans.write({ id, definition: JSON.stringify(planOf(id, requests)) });
      /** How many of five requests are admitted, by machines in turn. */
      const admittedOf = async (key: string, among = [0, 1]) => {
        let admitted = 0;
        for (let count = 0; count < 5; count += 1) {
          const { caller, standing } = await admit(key, among[count % among.length]);
          assert.equal(standing.limit, caller.plan.requests_per_minute);
          if (!standing.isSpent) admitted += 1;
        }
        return admitted;
      };
      // Without a shared database, each machine counts for itself.
      const both = engine.name === 'postgres' ? [0, 1] : [1];

      await store('team', 2);
      const team = await newKey('team');
      assert.equal(await admittedOf(team.key, both), 2);
      const standard = await newKey();
      const orphan = await newKey();
      await accounts.update((await accounts.byEmail(orphan.email))!.id, { plan: 'gone' });
      assert.equal((await admit(standard.key, 1)).standing.limit, 30);
      await store('free', 3);
      assert.equal((await admit(standard.key, 1)).standing.limit, 3);
      assert.equal(
        await admittedOf(orphan.key, both),
        3,
        'a plan that is gone is the standard one, as stored',
      );
      const pro = await newKey('pro');
      assert.equal((await admit(pro.key)).standing.limit, 600, 'another built-in plan is as it was');

      machines.push(startMachine(opened.database, [planOf('team', 1), planOf('free', 4)]));
      const filed = await newKey('team');
      const orphanThere = await newKey();
      await accounts.update((await accounts.byEmail(orphanThere.email))!.id, { plan: 'gone' });
      assert.equal(await admittedOf(filed.key, [2]), 1);
      assert.equal(await admittedOf(orphanThere.key, [2]), 4);

      await plans.delete('free');
      assert.equal((await admit((await newKey()).key, 1)).standing.limit, 30);
      await assert.rejects(newKey('nothing'), /unknown plan "nothing" \(there are free, .*, team\)/);
    });

    test('5.4 unknown and revoked keys, suspended and unverified accounts are refused and open no window', async () => {
      const { accounts } = machineAt(0);
      const revoked = await newKey();
      const suspended = await newKey();
      const unverified = await newKey();
      await admit(revoked.key);
      await accounts.revokeKey(revoked.id);
      await accounts.update(suspended.email, { suspended: true });
      await accounts.update(unverified.email, { verified: false });
      for (const { key } of [revoked, suspended, unverified]) {
        await assert.rejects(admit(key), (error: ServiceError) => error.code === 'unauthorized');
      }
      await assert.rejects(admit('tt_wrong'), (error: ServiceError) => error.code === 'unauthorized');
      await accounts.update(suspended.email, { suspended: false });
      assert.equal((await admit(suspended.key)).standing.remaining, 29);
    });

    test('5 a key with the wrong scope or an expired key is refused with the reason and opens no window', async () => {
      const { accounts, clock } = machineAt(0);
      const { email, key: every } = await newKey();
      const make = (terms: Parameters<Accounts['createKey']>[2]) =>
        accounts.createKey(email, 'narrow', terms);
      const { key: uploads } = await make({ scope: 'uploads' });
      const { key: renders } = await make({ scope: 'renders' });
      const { key: brief } = await make({ expiresInMs: 20_000 });
      const refusal = (message: RegExp, reason: string) => (error: KeyRefusedError) => {
        assert.equal(error.code, 'unauthorized');
        assert.match(error.message, message);
        assert.equal(error.refusal.reason, reason);
        return true;
      };
      for (let round = 0; round < 2; round += 1) {
        await assert.rejects(
          admit(renders),
          refusal(/may not upload; it is for renders only/, 'key may not upload'),
        );
        await assert.rejects(
          admit(uploads, 0, 'render'),
          refusal(/may not render; it is for uploads only/, 'key may not render'),
        );
      }
      assert.equal((await admit(uploads)).standing.remaining, 29, 'refusals were not counted');
      assert.equal((await admit(renders, 0, 'render')).standing.remaining, 28);
      assert.equal((await admit(renders, 0, 'any')).standing.remaining, 27, 'what every key may do');
      assert.equal((await admit(brief)).standing.remaining, 26);
      await clock.advance(19_999);
      assert.equal((await admit(brief)).standing.remaining, 25);
      await clock.advance(1);
      await assert.rejects(admit(brief), refusal(/this API key expired at 2\d{3}-.*Z\.$/, 'expired key'));
      assert.equal((await admit(every)).standing.remaining, 24);
      await accounts.update(email, { suspended: true });
      await assert.rejects(admit(brief), refusal(/send a valid API key/, 'suspended account'));
      await clock.advance(-20_000);
    });

    test('5.4 a change by another process takes effect with the next request', async () => {
      const { key, id, email } = await newKey();
      assert.equal((await admit(key)).caller.plan.id, 'free');
      await machineAt(1).accounts.update(email, { plan: 'pro' });
      assert.equal((await admit(key)).caller.plan.id, 'pro');
      await machineAt(1).accounts.revokeKey(id);
      await assert.rejects(admit(key), (error: ServiceError) => error.code === 'unauthorized');
    });

    if (engine.name === 'postgres') {
      test('8 two machines share one budget', async () => {
        const { key } = await newKey();
        const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => admit(key, index % 2)));
        assert.equal(answers.filter(({ standing }) => !standing.isSpent).length, 30);
      });

      test('8 a budget known to be spent is refused without querying the database', async () => {
        const { key } = await newKey();
        for (let count = 0; count < 31; count += 1) await admit(key);
        const statements = watchStatements();
        try {
          assert.equal((await admit(key)).standing.isSpent, true);
          assert.deepEqual(statements.take(), []);
          await machineAt(0).clock.advance(300);
          assert.equal((await admit(key)).standing.isSpent, true);
          assert.equal(statements.take().length, 1);
        } finally {
          await machineAt(0).clock.advance(-300);
          statements.stop();
        }
      });
    }
  });
}
