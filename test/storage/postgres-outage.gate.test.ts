// Postgres that drops connections, stops responding or restarts: errors come quickly, nothing is lost or doubled, service resumes.
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Database } from '#storage/database.ts';
import { openPostgres } from '#storage/postgres.ts';
import { startPostgres, type TestPostgres } from '#test/support/postgres.ts';
import { startTcpProxy, type TcpProxy } from '#test/support/tcp-proxy.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { accountRow } from '#test/storage/rows.ts';

describe('postgres outages', () => {
  let server: TestPostgres;
  let wire: TcpProxy;
  let database: Database;

  before(async () => {
    server = await startPostgres();
    const url = new URL(await server.newDatabase());
    wire = await startTcpProxy([Number(url.port)]);
    url.port = String(wire.port);
    database = await openPostgres(url.href, { poolSize: 4 });
  });
  after(async () => {
    await database?.close();
    await wire?.close();
    await server?.stop();
  });
  afterEach(() => {
    wire.onRequest = () => true;
    wire.onAnswer = () => true;
    wire.isSilent = false;
  });

  const answers = (): Promise<boolean> =>
    database.ping().then(
      () => true,
      () => false,
    );
  const isCommit = (bytes: Buffer): boolean => bytes.includes('commit\0');

  test('a commit whose response was lost is found to have succeeded', async () => {
    const row = accountRow();
    let isArmed = false;
    wire.onRequest = (bytes) => {
      isArmed ||= isCommit(bytes);
      return true;
    };
    wire.onAnswer = () => !isArmed || (isArmed = false);
    const result = await database.transaction(async (tables) => {
      await tables.accounts.insert(row);
      return 'stored';
    });
    assert.equal(result, 'stored');
    assert.equal((await database.tables.accounts.byEmail(row.email))?.id, row.id);
  });

  test('a commit that never reached the server fails and writes nothing', async () => {
    const row = accountRow();
    wire.onRequest = (bytes) => !isCommit(bytes);
    await assert.rejects(database.transaction((tables) => tables.accounts.insert(row)));
    wire.onRequest = () => true;
    assert.equal(await database.tables.accounts.byEmail(row.email), undefined);
  });

  test('a restart fails the requests in flight and none after it', async () => {
    await database.ping();
    await server.pause();
    await assert.rejects(database.ping());
    await assert.rejects(database.ping());
    await server.resume();
    await waitFor('the database to be back', answers);
    assert.equal(await database.tables.accounts.isEmpty(), false);
  });

  test('a server that stops responding delays the first requests by seconds, later ones not at all: no pile-up', async () => {
    await database.ping();
    wire.isSilent = true;
    // oxlint-disable-next-line tests/no-durations -- what is tested is that the timeouts hold and do not add up
    const since = (start: number) => Date.now() - start;
    const start = Date.now();
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => database.ping()));
    const firstMs = since(start);
    assert.ok(outcomes.every(({ status }) => status === 'rejected'));
    // In groups of five, one after the other, they would take five times six seconds.
    assert.ok(firstMs < 20_000, `the first requests took ${Math.round(firstMs)} ms`);
    await assert.rejects(database.ping());
    const later = Date.now();
    const more = await Promise.allSettled(Array.from({ length: 50 }, () => database.ping()));
    assert.ok(more.every(({ status }) => status === 'rejected'));
    assert.ok(since(later) < 8_000, 'later requests do not wait');
    wire.isSilent = false;
    await waitFor('the database to be back', answers);
  });

  test('transactions of one account that wait for each other leave connections to others', async () => {
    const [busy, other] = [accountRow(), accountRow()];
    for (const row of [busy, other]) await database.tables.accounts.insert(row);
    const lock = (accountId: string, then: () => Promise<void>) =>
      database.transactionOf(accountId, async (tables) => {
        await tables.ownedBy(accountId).lock();
        await then();
      });
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
    const { promise: isHeld, resolve: onHeld } = Promise.withResolvers<void>();
    const first = lock(busy.id, () => {
      onHeld();
      return held;
    });
    await isHeld;
    // Many more than the pool has connections.
    const others = Array.from({ length: 20 }, () => lock(busy.id, async () => {}));
    const ended = Promise.allSettled([first, ...others]);
    try {
      await lock(other.id, async () => {});
    } finally {
      letGo();
    }
    assert.ok((await ended).every(({ status }) => status === 'fulfilled'));
  });
});
