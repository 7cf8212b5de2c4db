// Webhooks on every engine: recorded with what they report, signed, sent at least once by one machine at a time, tried again for a
// day, and bounded for each account.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { pino } from 'pino';
import { Webhook } from 'standardwebhooks';
import { newId } from '#core/ids.ts';
import { parseEgressAllow } from '#wall/egress-allow.ts';
import { createWall } from '#wall/wall.ts';
import type { Database } from '#storage/database.ts';
import type { AccountRow, WebhookAttemptRow, WebhookDeliveryRow, WebhookEvent } from '#storage/schema.ts';
import type { Caller } from '#accounts/authenticate.ts';
import { createMailer, type Mailer } from '#accounts/mailer.ts';
import { maxWaiting, recordContents, recordEvents, recordForUrl } from '#delivery/events.ts';
import { createDeliveryRoom, type DeliveryRoom } from '#delivery/room.ts';
import { startMailbox, type Mailbox } from '#test/support/mailbox.ts';
import { receiverAddress, startReceiver, type Received, type Receiver } from '#test/support/receiver.ts';
import { createTestClock, type TestClock } from '#test/support/clock.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { databaseEngines, type OpenDatabase } from '#test/storage/engines.ts';
import { accountRow } from '#test/storage/rows.ts';

const log = pino({ level: 'silent' });
const hour = 3_600_000;

for (const engine of databaseEngines) {
  describe(`webhooks on ${engine.name}`, () => {
    let opened: OpenDatabase;
    let receiver: Receiver;
    let mailbox: Mailbox;
    let mailer: Mailer;
    let room: DeliveryRoom;
    let clock: TestClock;
    before(async () => {
      // Now and not when the file is loaded: the package that verifies messages compares their time with the machine's.
      clock = createTestClock(Date.now());
      [opened, receiver, mailbox] = await Promise.all([engine.open(), startReceiver(), startMailbox()]);
      mailer = await createMailer({ smtpUrl: mailbox.url, from: 'tintype@example.com', log });
      room = machine(opened.database);
      ({ tables } = opened.database);
    });
    after(async () => {
      await room.close();
      await mailer.close();
      await Promise.all([receiver.close(), mailbox.close(), opened.close()]);
    });
    beforeEach(() => receiver.answer((_, response) => void response.writeHead(204).end()));

    function machine(database: Database): DeliveryRoom {
      return createDeliveryRoom({
        database,
        mailer,
        clock,
        log,
        renderMessage: async (_accountId, renderId, changes) => ({ renderId, changes }),
        wall: createWall({ allow: parseEgressAllow(receiverAddress) }),
        baseUrl: 'http://tintype.test',
      });
    }
    const chore = (name: string, of = room) => of.chores.find((candidate) => candidate.name === name)!.run();
    const send = (of?: DeliveryRoom) => chore('webhooks', of);
    let tables: Database['tables'];

    async function newAccount(change: Partial<AccountRow> = {}): Promise<AccountRow> {
      const row = accountRow(change);
      await opened.database.tables.accounts.insert(row);
      return row;
    }
    /** An account with an endpoint at its own path of the receiver. */
    async function listener(events: WebhookEvent[] = ['upload.created'], url?: string) {
      const account = await newAccount();
      const path = `/${account.id}`;
      const added = await room.webhookEndpoints.add(account.id, { url: url ?? receiver.base + path, events });
      return { ...account, path, endpointId: added.row.id, secret: added.secret ?? '' };
    }
    async function record(
      accountId: string,
      things: object[] = [{ id: newId() }],
      event: WebhookEvent = 'upload.created',
    ) {
      const account = await opened.database.tables.accounts.byId(accountId);
      await opened.database.transaction((within) =>
        recordEvents(
          within,
          { accountId, webhookEvents: account!.webhook_events },
          event,
          things,
          clock.now(),
        ),
      );
    }
    const deliveriesOf = (accountId: string): Promise<WebhookDeliveryRow[]> =>
      opened.database.connection
        .selectFrom('webhook_deliveries')
        .selectAll()
        .where('account_id', '=', accountId)
        .orderBy('created_at')
        .execute();
    const attemptsOf = async (accountId: string): Promise<WebhookAttemptRow[]> =>
      opened.database.tables
        .ownedBy(accountId)
        .webhooks.attempts((await deliveriesOf(accountId)).map(({ id }) => id));
    const endpointOf = (accountId: string, id: string) =>
      opened.database.tables.ownedBy(accountId).webhooks.endpoint(id);
    const settled = (accountId: string) =>
      waitFor('every delivery to end and the queue to be released', async () => {
        const rows = await deliveriesOf(accountId);
        const queues = await opened.database.connection
          .selectFrom('webhook_endpoints')
          .selectAll()
          .where('account_id', '=', accountId)
          .execute();
        return (
          rows.every(({ state }) => state !== 'waiting') &&
          queues.every(({ leased_until }) => leased_until === 0)
        );
      });
    const requestsTo = (path: string): Received[] =>
      receiver.received.filter((request) => request.path === path);
    const headersOf = ({ headers }: Received) => headers as Record<string, string>;

    test('an event is recorded with the thing it reports, or not at all; only for endpoints that are told of it', async () => {
      const { id: accountId, endpointId } = await listener(['upload.created', 'quota.warning']);
      await room.webhookEndpoints.add(accountId, { url: receiver.base, events: ['upload.deleted'] });
      const account = (await tables.accounts.byId(accountId))!;
      assert.equal(account.webhook_events, 'upload.created,quota.warning,upload.deleted');
      const caller: Pick<Caller, 'accountId' | 'webhookEvents'> = {
        accountId,
        webhookEvents: account.webhook_events,
      };
      const failing = opened.database.transaction(async (within) => {
        await recordEvents(within, caller, 'upload.created', [{ id: 'gone' }], clock.now());
        throw new Error('rolled back');
      });
      await assert.rejects(failing, /rolled back/);
      assert.deepEqual(await deliveriesOf(accountId), []);
      await record(accountId, [{ id: 'one' }, { id: 'two' }]);
      await record(accountId, [{ id: 'three' }], 'render.failed');
      const rows = await deliveriesOf(accountId);
      assert.deepEqual(
        rows.map(({ endpoint_id, event, body }) => [endpoint_id, event, JSON.parse(body)]),
        ['one', 'two'].map((id, place) => [
          endpointId,
          'upload.created',
          { type: 'upload.created', timestamp: new Date(clock.now() + place).toISOString(), data: { id } },
        ]),
      );
    });

    test('a message is signed as Standard Webhooks say, and sent once', async () => {
      const { id, path, secret } = await listener();
      await record(id, [{ id: 'an upload', filename: 'Straße — 写真.png' }]);
      room.wakeWebhooks();
      const request = await receiver.next((candidate) => candidate.path === path);
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
      const verified = new Webhook(secret).verify(request.body, headersOf(request)) as { data: object };
      assert.deepEqual(verified.data, { id: 'an upload', filename: 'Straße — 写真.png' });
      assert.equal(request.headers['content-type'], 'application/json');
      await settled(id);
      const [delivery] = await deliveriesOf(id);
      assert.equal(request.headers['webhook-id'], `msg_${delivery!.id}`);
      assert.deepEqual([delivery!.state, delivery!.attempts, delivery!.next_at], ['delivered', 1, null]);
      const [attempt] = await attemptsOf(id);
      assert.deepEqual(
        [attempt!.number, attempt!.status, attempt!.failure, attempt!.at],
        [1, 204, null, clock.now()],
      );
      await send();
      assert.equal(requestsTo(path).length, 1);
    });

    test('a changed body or a foreign secret does not verify', async () => {
      const { id, path, secret } = await listener();
      await record(id);
      await send();
      const request = await receiver.next((candidate) => candidate.path === path);
      const changed = Buffer.from(request.body.toString().replace('upload', 'Upload'));
      assert.throws(() => new Webhook(secret).verify(changed, headersOf(request)));
      const { secret: foreign } = await listener();
      assert.throws(() => new Webhook(foreign).verify(request.body, headersOf(request)));
      await settled(id);
    });

    test('after a rotation both secrets sign for a day; the database shows neither', async () => {
      const { id, path, secret: first } = await listener();
      const second = await room.webhookSecrets.rotate(id);
      const nextRequest = async (): Promise<Received> => {
        await record(id);
        await send();
        const request = await receiver.next((candidate) => candidate.path === path);
        await settled(id);
        return request;
      };
      const during = await nextRequest();
      for (const secret of [first, second]) new Webhook(secret).verify(during.body, headersOf(during));
      const third = await room.webhookSecrets.rotate(id);
      const again = await nextRequest();
      for (const secret of [second, third]) new Webhook(secret).verify(again.body, headersOf(again));
      assert.throws(
        () => new Webhook(first).verify(again.body, headersOf(again)),
        'twice ends one that has leaked',
      );
      await clock.advance(24 * hour);
      const later = await nextRequest();
      // The package refuses messages that are older or newer than five minutes of its own clock.
      const [, ...others] = String(later.headers['webhook-signature']).split(' ');
      assert.deepEqual(others, []);
      const expected = new Webhook(third).sign(
        String(later.headers['webhook-id']),
        new Date(clock.now()),
        later.body,
      );
      assert.equal(later.headers['webhook-signature'], expected);
      const row = await tables.webhookSecrets.read(id);
      for (const secret of [first, second, third])
        assert.equal(JSON.stringify(row).includes(secret.slice(6, 20)), false);
      await clock.advance(-24 * hour);
    });

    test('eight attempts over a day, then the endpoint is off and its owner is told', async () => {
      const { id, path, endpointId, email } = await listener();
      receiver.answer((_, response) => void response.writeHead(500).end('trouble'));
      const startedAt = clock.now();
      await record(id);
      await record(id, [{ id: 'another' }]);
      const [first] = await deliveriesOf(id);
      for (let number = 1; number <= 8; number += 1) {
        await send();
        await waitFor(`attempt ${number}`, async () => {
          const queue = await endpointOf(id, endpointId);
          return (
            (await attemptsOf(id)).filter(({ delivery_id }) => delivery_id === first!.id).length === number &&
            queue!.leased_until === 0
          );
        });
        const waiting = (await deliveriesOf(id)).filter(({ next_at }) => next_at !== null);
        const next = waiting.map(({ next_at }) => next_at!);
        assert.equal(
          (await endpointOf(id, endpointId))!.next_at,
          next.length === 0 ? null : Math.min(...next),
        );
        // So that both are due.
        if (number < 8) await clock.advance(Math.max(...next) - clock.now());
      }
      const times = (await attemptsOf(id))
        .filter(({ delivery_id }) => delivery_id === first!.id)
        .map(({ at }) => at);
      const delays = times.slice(1).map((at, index) => (at - times[index]!) / 1000);
      for (const [index, expected] of [5, 60, 300, 1_800, 7_200, 21_600, 54_000].entries())
        assert.ok(delays[index]! >= expected * 0.9 && delays[index]! <= expected * 1.1, `${delays[index]} s`);
      assert.ok(clock.now() - startedAt > 21 * hour && clock.now() - startedAt < 26 * hour);
      assert.ok(requestsTo(path).length >= 15);
      const row = (await endpointOf(id, endpointId))!;
      assert.deepEqual([row.off_reason, row.notice, row.next_at, row.waiting], ['failing', 1, null, 0]);
      assert.equal((await tables.accounts.byId(id))!.webhook_events, '');
      assert.deepEqual(
        (await deliveriesOf(id)).map(({ state }) => state),
        ['failed', 'failed'],
      );
      await chore('notices of endpoints');
      const mail = await mailbox.text(email);
      assert.match(mail, /no longer sends webhooks to https:\/\/127\.0\.0\.2/);
      assert.match(mail, /http:\/\/tintype\.test\/dashboard\/webhooks/);
      await chore('notices of endpoints');
      assert.deepEqual(mailbox.subjects(email), []);
      await clock.advance(startedAt - clock.now());
    });

    test('one message that its receiver never takes does not switch the endpoint off', async () => {
      const { id, endpointId } = await listener();
      receiver.answer(
        ({ body }, response) => void response.writeHead(body.includes('poison') ? 400 : 200).end(),
      );
      const startedAt = clock.now();
      await record(id, [{ id: 'poison' }]);
      for (let number = 1; number <= 8; number += 1) {
        await send();
        await waitFor('the turn to end', async () => {
          const [poison] = await deliveriesOf(id);
          return poison!.attempts === number && (await endpointOf(id, endpointId))!.leased_until === 0;
        });
        const [poison] = await deliveriesOf(id);
        if (poison!.next_at !== null) await clock.advance(poison!.next_at - clock.now());
        if (number === 6) await record(id, [{ id: 'fine' }]);
      }
      assert.deepEqual(
        (await deliveriesOf(id)).map(({ state }) => state),
        ['failed', 'delivered'],
      );
      assert.equal((await endpointOf(id, endpointId))!.off_at, null);
      await clock.advance(startedAt - clock.now());
    });

    test('what a receiver does decides: a redirect, a refusal and silence are tried again, each with its reason', async () => {
      const { id } = await listener(['upload.created'], `https://${receiverAddress}:1/`);
      await record(id);
      const moved = await listener();
      receiver.answer((_, response) => void response.writeHead(302, { location: '/' }).end());
      await record(moved.id);
      await send();
      await waitFor(
        'both attempts',
        async () => (await attemptsOf(id)).length + (await attemptsOf(moved.id)).length === 2,
      );
      assert.deepEqual(
        (await attemptsOf(id)).map(({ status, failure }) => [status, failure]),
        [[null, 'unreachable']],
      );
      assert.deepEqual(
        (await attemptsOf(moved.id)).map(({ status, failure }) => [status, failure]),
        [[302, null]],
      );
    });

    test('a message of a render is made when it is sent', async () => {
      const { id, path } = await listener(['render.succeeded']);
      const account = await tables.accounts.byId(id);
      await opened.database.transaction((within) =>
        recordContents(
          within,
          { accountId: id, webhookEvents: account!.webhook_events },
          'render.succeeded',
          [{ renderId: 'its id', changes: { own: 1 } }],
          clock.now(),
        ),
      );
      await send();
      await settled(id);
      const { data } = JSON.parse(String(requestsTo(path)[0]!.body)) as { data: unknown };
      assert.deepEqual(data, { renderId: 'its id', changes: { own: 1 } });
    });

    test('a machine that dies after sending leaves the message to the next, under the same id', async () => {
      const { id, path } = await listener();
      await record(id);
      // As the machine that dies would: it holds the lease and notes nothing.
      const claimed = await tables.webhooks.claim(clock.now(), { leaseMs: 60_000, perAccount: 2 });
      assert.equal(claimed?.account_id, id);
      const [due] = await tables.webhooks.due(claimed.id, clock.now(), 10);
      await send();
      assert.equal(requestsTo(path).length, 0);
      await clock.advance(60_000);
      await send();
      const request = await receiver.next((candidate) => candidate.path === path);
      assert.equal(request.headers['webhook-id'], `msg_${due!.id}`);
      await settled(id);
      // What the dead machine would still note does not count twice.
      const late = {
        delivery_id: due!.id,
        number: 1,
        at: clock.now(),
        status: 500,
        failure: null,
        duration_ms: 1,
      };
      assert.equal(await tables.webhooks.noteAttempt(late, { state: 'waiting', next_at: 1 }), false);
      await clock.advance(-60_000);
    });

    test('the URL of a render has a queue of its own, without an endpoint', async () => {
      const account = await newAccount();
      const url = `${receiver.base}/render-${account.id}`;
      for (const place of [1, 2])
        await opened.database.transaction((within) =>
          recordForUrl(within, account.id, {
            url,
            event: 'render.succeeded',
            content: { data: { place } },
            now: clock.now(),
          }),
        );
      await send();
      await settled(account.id);
      const bodies = requestsTo(new URL(url).pathname).map(
        ({ body }) => (JSON.parse(body.toString()) as { data: object }).data,
      );
      assert.deepEqual(
        new Set(bodies.map((data) => JSON.stringify(data))),
        new Set(['{"place":1}', '{"place":2}']),
      );
      assert.deepEqual(await tables.ownedBy(account.id).webhooks.endpoints(), []);
      assert.equal((await tables.accounts.byId(account.id))!.webhook_events, '');
    });

    test('receivers that hang hold up neither another account nor more than two endpoints of their own', async () => {
      const hanging = new Set<string>();
      const gate = Promise.withResolvers<void>();
      receiver.answer(({ path }, response) => {
        if (path.startsWith('/hang')) hanging.add(path);
        void (path.startsWith('/hang') ? gate.promise : Promise.resolve()).then(() =>
          response.writeHead(204).end(),
        );
      });
      const attacker = await newAccount();
      for (let place = 0; place < 5; place += 1)
        await room.webhookEndpoints.add(attacker.id, {
          url: `${receiver.base}/hang-${place}`,
          events: ['upload.created'],
        });
      await record(
        attacker.id,
        Array.from({ length: 20 }, (_, place) => ({ place })),
      );
      await send();
      await waitFor('two to hang', () => hanging.size === 2);
      const neighbour = await listener();
      await record(neighbour.id);
      await send();
      await receiver.next(({ path }) => path === neighbour.path);
      await settled(neighbour.id);
      assert.equal(hanging.size, 2);
      gate.resolve();
      await settled(attacker.id);
      assert.equal(hanging.size, 5);
      assert.equal(
        (await deliveriesOf(attacker.id)).filter(({ state }) => state === 'delivered').length,
        100,
      );
    });

    test('a queue that has had its turn and is not empty goes behind the others', async () => {
      const [crowded, neighbour] = [await listener(), await listener()];
      await record(crowded.id, [{}, {}]);
      const claim = async () =>
        (await tables.webhooks.claim(clock.now(), { leaseMs: hour, perAccount: 2 }))?.id;
      const first = await claim();
      await clock.advance(1);
      await record(neighbour.id);
      await clock.advance(1);
      await tables.webhooks.release(crowded.endpointId, { keep: 500, now: clock.now() });
      const next = [await claim(), await claim()];
      await room.forgetLeases();
      await send();
      await Promise.all([settled(crowded.id), settled(neighbour.id)]);
      assert.deepEqual([first, ...next], [crowded.endpointId, neighbour.endpointId, crowded.endpointId]);
    });

    test('an event that commits while its queue is being released is not forgotten', async () => {
      const { id, endpointId } = await listener();
      const isRecorded = Promise.withResolvers<void>();
      const mayCommit = Promise.withResolvers<void>();
      const account = (await tables.accounts.byId(id))!;
      const other = engine.parallelConnections > 1 ? await opened.openAnother() : opened.database;
      const recording = other.transaction(async (within) => {
        await recordEvents(
          within,
          { accountId: id, webhookEvents: account.webhook_events },
          'upload.created',
          [{}],
          clock.now(),
        );
        isRecorded.resolve();
        await mayCommit.promise;
      });
      await isRecorded.promise;
      const releasing = opened.database.transaction((within) =>
        within.webhooks.release(endpointId, { keep: 500, now: clock.now() }),
      );
      mayCommit.resolve();
      await Promise.all([recording, releasing]);
      assert.notEqual((await endpointOf(id, endpointId))!.next_at, null);
      await send();
      await settled(id);
    });

    test(
      'two machines send each message once',
      { skip: engine.parallelConnections === 1 && 'SQLite is for one machine' },
      async () => {
        const accounts = await Promise.all(Array.from({ length: 4 }, () => listener()));
        const others = await Promise.all([1, 2].map(async () => machine(await opened.openAnother())));
        for (const { id } of accounts)
          await record(
            id,
            Array.from({ length: 25 }, (_, place) => ({ place })),
          );
        await Promise.all([...others, room].map((each) => send(each)));
        for (const { id } of accounts) await settled(id);
        for (const { path } of accounts) {
          const ids = requestsTo(path).map(({ headers }) => headers['webhook-id']);
          assert.deepEqual([ids.length, new Set(ids).size], [25, 25]);
        }
        await Promise.all(others.map((each) => each.close()));
      },
    );

    test('nothing is sent for a suspended account until it is reinstated', async () => {
      const { id, path } = await listener();
      await record(id);
      await tables.accounts.update(id, { suspended: 1 });
      await send();
      const { id: neighbour } = await listener();
      await record(neighbour);
      await send();
      await settled(neighbour);
      assert.equal(requestsTo(path).length, 0);
      await tables.accounts.update(id, { suspended: 0 });
      await send();
      await settled(id);
      assert.equal(requestsTo(path).length, 1);
    });

    test('an endpoint that ten thousand messages wait for is switched off', async () => {
      const { id, endpointId } = await listener();
      await opened.execute(`
        insert into webhook_deliveries (id, account_id, endpoint_id, event, body, created_at, state, attempts, next_at)
        with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${maxWaiting})
        select '${id}' || n, '${id}', '${endpointId}', 'upload.created', '{}', n, 'waiting', 1, ${clock.now() + hour} from numbers`);
      await record(id, [{}]);
      receiver.answer((_, response) => void response.writeHead(500).end());
      await send();
      await waitFor(
        'the endpoint to be off',
        async () => (await endpointOf(id, endpointId))!.off_reason !== null,
      );
      assert.equal((await endpointOf(id, endpointId))!.off_reason, 'crowded');
      assert.equal(
        (await deliveriesOf(id)).some(({ state }) => state !== 'failed'),
        false,
      );
    });

    test('the log keeps the newest of each endpoint, and nothing for longer than thirty days', async () => {
      const { id, endpointId } = await listener();
      await opened.execute(`
        insert into webhook_deliveries (id, account_id, endpoint_id, event, body, created_at, state, attempts)
        with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 600)
        select '${id}' || n, '${id}', '${endpointId}', 'upload.created', '{}', n, 'delivered', 1 from numbers`);
      await record(id);
      await send();
      await settled(id);
      assert.equal((await deliveriesOf(id)).length, 500);
      await chore('sweep of webhooks');
      assert.equal((await deliveriesOf(id)).length, 1);
      await clock.advance(31 * 24 * hour);
      await chore('sweep of webhooks');
      assert.equal((await deliveriesOf(id)).length, 0);
      await clock.advance(-31 * 24 * hour);
    });

    test('a message is sent again on request, under the same id; not to an endpoint that is off', async () => {
      const { id, path, endpointId } = await listener();
      await record(id);
      await send();
      await settled(id);
      const [delivery] = await deliveriesOf(id);
      assert.equal(await room.webhookEndpoints.sendAgain(id, delivery!.id), true);
      await waitFor('the second request', () => requestsTo(path).length === 2);
      await settled(id);
      assert.equal(new Set(requestsTo(path).map(({ headers }) => headers['webhook-id'])).size, 1);
      assert.deepEqual(
        (await attemptsOf(id)).map(({ number }) => number),
        [1, 2],
      );
      const stranger = await newAccount();
      assert.equal(await room.webhookEndpoints.sendAgain(stranger.id, delivery!.id), false);
      await room.webhookEndpoints.change(id, endpointId, { isOn: false });
      await assert.rejects(room.webhookEndpoints.sendAgain(id, delivery!.id), /switch it on first/);
      await room.webhookEndpoints.change(id, endpointId, { isOn: true });
      assert.equal((await tables.accounts.byId(id))!.webhook_events, 'upload.created');
      await room.webhookEndpoints.sendAgain(id, delivery!.id);
      await settled(id);
    });

    test('an endpoint must be https and public; an account has at most five', async () => {
      const account = await newAccount();
      const add = (url: string) => room.webhookEndpoints.add(account.id, { url, events: ['upload.created'] });
      for (const [url, reason] of [
        ['http://127.0.0.2/', /must be an absolute https:\/\/ address/],
        ['https://127.0.0.1/', /must be a public address/],
        ['https://localhost/', /must be a public address/],
        ['https://[::1]/', /must be a public address/],
        ['https://a:b@example.com/', /user name/],
      ] as const)
        await assert.rejects(add(url), { message: reason });
      for (let place = 0; place < 5; place += 1) await add(`${receiver.base}/${place}`);
      await assert.rejects(add(receiver.base), { message: /at most 5 endpoints/ });
    });
  });
}
