// Idempotency-Key when things go wrong: attempts that hang, are taken over or have an unknown outcome, repeats whose clients
// disconnect, and which parts of a response are stored.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import type { UploadResult } from '#api/v1/schemas.ts';
import { maxWaiting } from '#http/idempotency.ts';
import { UnknownOutcomeError, type Database } from '#storage/database.ts';
import type { Blobs, OpenBlob } from '#storage/blobs.ts';
import * as images from '#test/support/images.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { bearer, formOf, post, type ErrorBody } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { waitFor } from '#test/support/wait-for.ts';

type Commit = () => Promise<unknown>;

let service: TestService;
let site: PageServer;
let picture: Buffer;
/** Wraps the next transactions. */
let aroundCommit: ((commit: Commit) => Promise<unknown>) | undefined;
/** Claims of an Idempotency-Key attempted so far. */
let claims = 0;
let claimsBefore = 0;
let failsNextCommit = false;
const opened: OpenBlob[] = [];
let stores = 0;
let renderBlobs: Blobs | undefined;

before(async () => {
  // Large enough to be spooled to disk.
  picture = await images.pngOfSize(300_000);
  site = await startPageServer({ '/page': '<!doctype html><p>a page' });
  service = await startService({ EGRESS_ALLOW: site.host }, 0, undefined, { wrapDatabase, wrapBlobs });
});
after(async () => {
  await service.stop();
  await site.close();
});
afterEach(() => {
  aroundCommit = undefined;
});

function wrapDatabase(database: Database): Database {
  const { idempotency } = database.tables;
  return {
    ...database,
    tables: {
      ...database.tables,
      idempotency: {
        ...idempotency,
        claim(row) {
          claims += 1;
          return idempotency.claim(row);
        },
      },
    },
    transaction<T>(work: Parameters<typeof database.transaction<T>>[0], options?: object) {
      const commit = () => database.transaction(work, options);
      // Chores and slots use relaxed transactions; the one under test is durable and follows a claim.
      const isOurs = aroundCommit !== undefined && claims > claimsBefore && options === undefined;
      return isOurs ? (aroundCommit!(commit) as Promise<T>) : commit();
    },
    transactionOf(_accountId, work, options) {
      return this.transaction(work, options);
    },
  };
}

function wrapBlobs(blobs: Blobs): Blobs {
  // The second of the three is the store of renders.
  stores += 1;
  if (stores === 2) renderBlobs = blobs;
  return {
    ...blobs,
    createSpool(writer) {
      const spool = blobs.createSpool(writer);
      if (!failsNextCommit) return spool;
      failsNextCommit = false;
      return { ...spool, commit: () => Promise.reject(new Error('the disk is full')) };
    },
    async open(key, range) {
      const blob = await blobs.open(key, range);
      if (blob) opened.push(blob);
      return blob;
    },
  };
}

const upload = (key: string, idempotencyKey: string) =>
  post<UploadResult & ErrorBody>(`${service.origin}/api/v1/upload`, {
    body: formOf([[picture, 'a.png']]),
    headers: { ...bearer(key), 'idempotency-key': idempotencyKey },
  });

/** The same request over a socket that the test controls. */
function uploadOnSocket(key: string, idempotencyKey: string): Socket {
  const body = Buffer.concat([
    Buffer.from('--XX\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n'),
    picture,
    Buffer.from('\r\n--XX--\r\n'),
  ]);
  const socket = connect(Number(new URL(service.origin).port), '127.0.0.1').on('error', () => {});
  socket.write(
    `POST /api/v1/upload HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\n` +
      `Idempotency-Key: ${idempotencyKey}\r\nContent-Type: multipart/form-data; boundary=XX\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  socket.write(body);
  return socket;
}

/** Holds the next transaction until it is released. */
function holdNextCommit() {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const { promise: gate, resolve: release } = Promise.withResolvers<void>();
  claimsBefore = claims;
  aroundCommit = async (commit) => {
    aroundCommit = undefined;
    reach();
    await gate;
    return commit();
  };
  return { reached, release };
}

const rowsOf = async (accountId: string): Promise<number> =>
  (await service.database.tables.ownedBy(accountId).uploads.page({}, { after: undefined, limit: 100 }, 0))
    .length;

test('neither the delete token nor the key is stored in plain text, and a repeat returns both', async () => {
  const { key } = await service.newKey();
  const first = await upload(key, 'secret-of-the-client');
  const token = new URL(first.body.delete_url).searchParams.get('token') ?? '';
  const stored = JSON.stringify(
    await service.database.connection.selectFrom('idempotency_keys').selectAll().execute(),
  );
  assert.ok(token.length > 20 && !stored.includes(token));
  assert.ok(!stored.includes('secret-of-the-client'));
  const repeat = await upload(key, 'secret-of-the-client');
  assert.equal(repeat.headers.get('idempotent-replayed'), 'true');
  assert.deepEqual(repeat.body, first.body);
});

test('a repeat waits for the running attempt without polling', async () => {
  const { key, accountId } = await service.newKey();
  const { reached, release } = holdNextCommit();
  const first = upload(key, 'wait');
  await reached;
  claims = 0;
  const repeats = [upload(key, 'wait'), upload(key, 'wait'), upload(key, 'wait')];
  await waitFor('the repeats to arrive', () => claims >= 3);
  release();
  const [original, ...others] = await Promise.all([first, ...repeats]);
  assert.equal(original.status, 201);
  for (const { status, body } of others) assert.deepEqual([status, body], [201, original.body]);
  assert.equal(claims, 3);
  assert.equal(await rowsOf(accountId), 1);
});

test('repeats whose clients disconnect stop waiting at once', async () => {
  const { key } = await service.newKey();
  const { reached, release } = holdNextCommit();
  const first = upload(key, 'leave');
  await reached;
  claims = 0;
  const sockets = Array.from({ length: 5 }, () => uploadOnSocket(key, 'leave'));
  const spools = () => readdir(join(service.config.blobsDir, 'uploads', 'spool'));
  await waitFor('the repeats to wait', async () => claims === 5 && (await spools()).length === 5);
  for (const socket of sockets) socket.destroy();
  await waitFor('the repeats to be gone', async () => (await spools()).length === 0);
  release();
  assert.equal((await first).status, 201);
});

test('an account has a bounded number of waiting repeats; other accounts are not affected', async () => {
  const [{ key }, { key: otherKey }] = [await service.newKey(), await service.newKey()];
  const { reached, release } = holdNextCommit();
  const first = upload(key, 'many');
  await reached;
  const answers = Array.from({ length: maxWaiting + 2 }, () => upload(key, 'many'));
  const refused = await Promise.race(
    answers.map(async (answer) => {
      const given = await answer;
      return given.status === 429 ? given : new Promise<never>(() => {});
    }),
  );
  assert.equal(refused.body.error.code, 'rate_limited');
  assert.match(refused.body.error.message, /^Idempotency-Key: /);
  assert.equal(refused.headers.get('retry-after'), refused.headers.get('x-service-ratelimit-reset'));
  assert.equal((await upload(otherKey, 'many')).status, 201);
  release();
  const statuses = (await Promise.all([first, ...answers])).map(({ status }) => status);
  assert.deepEqual(
    statuses.toSorted((a, b) => a - b),
    [...Array.from({ length: maxWaiting + 1 }, () => 201), 429, 429],
  );
});

test('an attempt that was taken over leaves nothing: no file, no unit', async () => {
  const { key, accountId } = await service.newKey();
  const { reached, release } = holdNextCommit();
  const slow = upload(key, 'taken-over');
  await reached;
  await service.clock.advance(3 * 60_000);
  const second = await upload(key, 'taken-over');
  assert.equal(second.status, 201);
  release();
  assert.equal((await slow).status, 500);
  assert.equal(await rowsOf(accountId), 1);
  assert.equal(second.headers.get('x-service-quota-remaining'), String(1_000_000 - 1));
  const repeat = await upload(key, 'taken-over');
  assert.deepEqual([repeat.status, repeat.body], [201, second.body]);
});

test('a commit with an unknown outcome is not forgotten: the repeat finds its response', async () => {
  const { key, accountId } = await service.newKey();
  claimsBefore = claims;
  aroundCommit = async (commit) => {
    aroundCommit = undefined;
    await commit();
    throw new UnknownOutcomeError('the database went away during the commit');
  };
  assert.equal((await upload(key, 'unknown')).status, 500);
  const repeat = await upload(key, 'unknown');
  assert.equal(repeat.status, 201);
  assert.equal(repeat.headers.get('idempotent-replayed'), 'true');
  assert.equal(await rowsOf(accountId), 1);
});

test('4.2.4 an internal error of one file is logged once', async () => {
  const { key } = await service.newKey();
  failsNextCommit = true;
  const { status } = await post(`${service.origin}/api/v1/upload/batch`, {
    body: formOf([
      [picture, 'a.png'],
      [picture, 'b.png'],
    ]),
    headers: { ...bearer(key), 'idempotency-key': 'logged' },
  });
  assert.equal(status, 207);
  assert.equal(service.logLines().filter(({ msg }) => msg === 'upload failed').length, 1);
});

test('a commit that failed is forgotten: the repeat runs', async () => {
  const { key, accountId } = await service.newKey();
  claimsBefore = claims;
  aroundCommit = async () => {
    aroundCommit = undefined;
    throw new Error('the disk is full');
  };
  assert.equal((await upload(key, 'failed')).status, 500);
  const repeat = await upload(key, 'failed');
  assert.deepEqual([repeat.status, repeat.headers.get('idempotent-replayed')], [201, null]);
  assert.equal(await rowsOf(accountId), 1);
});

test('a replay of bytes is streamed: for a client that does not read, none are kept in memory', async () => {
  const { key } = await service.newKey();
  const ask = (signal?: AbortSignal) =>
    fetch(`${service.origin}/api/v1/screenshot`, {
      method: 'POST',
      body: JSON.stringify({ url: `${site.base}/page` }),
      headers: { ...bearer(key), 'content-type': 'application/json', 'idempotency-key': 'bytes' },
      ...(signal && { signal }),
    });
  const first = await ask();
  const bytes = Buffer.from(await first.arrayBuffer());
  assert.equal(first.status, 200);
  const repeat = await ask();
  assert.equal(repeat.headers.get('content-length'), String(bytes.length));
  assert.ok(bytes.equals(Buffer.from(await repeat.arrayBuffer())));

  // A larger file replaces it, because a small one would fit into the buffers of the connection.
  const sizeBytes = 64 * 1024 * 1024;
  await using spool = renderBlobs!.createSpool();
  await spool.write(Buffer.alloc(sizeBytes));
  await spool.commit(first.headers.get('x-service-id') ?? '');
  await service.database.connection
    .updateTable('idempotency_keys')
    .where('render_id', '=', first.headers.get('x-service-id'))
    .set({ headers: JSON.stringify({ 'content-length': sizeBytes }) })
    .execute();
  const leave = new AbortController();
  await ask(leave.signal).catch(() => {});
  const { stream } = opened.at(-1)!;
  assert.equal(stream.readableEnded, false, 'the rest waits in the store');
  leave.abort();
  if (!stream.closed) await once(stream, 'close');
});
