// The bytes of a render go from the browser's file to the client without passing through the service's memory, and however a
// render ends, neither a file nor a descriptor is left.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { appendFile, mkdir, open, readdir, rm, truncate } from 'node:fs/promises';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { newId } from '#core/ids.ts';
import type { Browser, Rendered } from '#browser/browser.ts';
import type { Blobs } from '#storage/blobs.ts';
import type { Database } from '#storage/database.ts';
import type { Config } from '#roof/config.ts';
import { openFilesIn } from '#test/support/process-table.ts';
import { bearer } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { idleBrowser } from '#test/support/stand-in-browser.ts';

const sizeBytes = 60 * 1024 * 1024;
const url = 'http://127.0.0.1:9/';

let service: TestService;
let folder: string;
let stores = 0;
let renderBlobs: Blobs;
/** Run at the named moment of the next render; may throw. */
let interrupt: Partial<Record<Moment, () => unknown>> = {};
type Moment = 'rendered' | 'commit' | 'transaction';

before(async () => {
  service = await startService({ EGRESS_ALLOW: '127.0.0.1:9' }, 0, undefined, {
    openBrowser,
    wrapDatabase,
    wrapBlobs,
  });
  folder = join(service.config.blobsDir, 'renders');
});
after(() => service.stop());
afterEach(() => {
  interrupt = {};
});

/** Every picture is the same large file. A page that Chromium draws as one takes seconds, and memory of this process. */
async function openBrowser({ blobsDir }: Config): Promise<Browser> {
  async function render(): Promise<Rendered> {
    const results = join(blobsDir, 'renders', 'results');
    await mkdir(results, { recursive: true });
    const path = join(results, newId());
    await using file = await open(path, 'wx');
    await file.truncate(sizeBytes);
    await interrupt.rendered?.();
    const remove = () => rm(path, { force: true });
    const facts = { width: null, height: null, pages: null, truncated: false };
    return {
      outputs: [{ path, sizeBytes, sha256: '0'.repeat(64), ...facts }],
      page: { finalUrl: null, status: null, title: '', width: null, height: null, warnings: [] },
      [Symbol.asyncDispose]: remove,
    };
  }
  return {
    render,
    ...idleBrowser,
  };
}

function wrapDatabase(database: Database): Database {
  return {
    ...database,
    async transaction<T>(work: Parameters<typeof database.transaction<T>>[0], options?: object) {
      // Chores and slots use relaxed transactions.
      if (options === undefined) await interrupt.transaction?.();
      return database.transaction(work, options);
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
    async adopt(file, account) {
      const adopted = await blobs.adopt(file, account);
      return {
        ...adopted,
        async commit(key) {
          await interrupt.commit?.();
          await adopted.commit(key);
        },
      };
    },
  };
}

function ask(key: string, body: object = {}, headers: Record<string, string> = {}): ClientRequest {
  const asked = request(`${service.origin}/api/v1/screenshot`, {
    method: 'POST',
    headers: { ...bearer(key), 'content-type': 'application/json', ...headers },
    agent: false,
  });
  asked.on('error', () => {});
  asked.end(JSON.stringify({ url, ...body }));
  return asked;
}

async function answerTo(asked: ClientRequest): Promise<IncomingMessage> {
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return answer;
}

async function countBytes(answer: IncomingMessage): Promise<number> {
  let count = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) count += chunk.length;
  return count;
}

async function files(): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

const nothingIsLeft = () =>
  waitFor(
    'files and descriptors to be gone',
    async () => (await files()).length === 0 && openFilesIn(folder).length === 0,
  );

const unitsOf = async (accountId: string): Promise<number> =>
  (
    await service.database.tables.usage.read({
      accountId,
      unit: 'render',
      month: new Date().toISOString().slice(0, 7),
    })
  ).used;

test('a picture of 60 MB for a client that does not read takes little memory and no file', async () => {
  const { key, accountId } = await service.newKey();
  const before = process.memoryUsage().arrayBuffers;
  const asked = ask(key);
  const answer = await answerTo(asked);
  assert.equal(answer.headers['content-length'], String(sizeBytes));
  // Until the buffers of the connection are full.
  for (let turn = 0; turn < 100; turn += 1) await nextTurn();
  const taken = process.memoryUsage().arrayBuffers - before;
  assert.ok(taken < sizeBytes / 2, `${taken} bytes`);
  assert.deepEqual(await files(), [], 'a killed process leaves no file');
  assert.equal(openFilesIn(folder).length, 1);
  assert.equal(await countBytes(answer), sizeBytes);
  await nothingIsLeft();
  assert.equal(await unitsOf(accountId), 1);
});

test('a client that disconnects in the middle leaves no file and no descriptor', async () => {
  const { key } = await service.newKey();
  for (const isKept of [false, true]) {
    const asked = ask(key, {}, isKept ? { 'idempotency-key': 'leaves' } : {});
    const answer = await answerTo(asked);
    await once(answer, 'readable');
    assert.equal(openFilesIn(folder).length, 1);
    asked.destroy();
    await waitFor('the file to be closed', () => openFilesIn(folder).length === 0);
    const kept = isKept ? [answer.headers['x-service-id']] : [];
    // Another store has it elsewhere.
    if (service.config.storage === undefined) assert.deepEqual(await files(), kept);
  }
  const repeat = await answerTo(ask(key, {}, { 'idempotency-key': 'leaves' }));
  assert.equal(await countBytes(repeat), sizeBytes);
  await renderBlobs.delete(String(repeat.headers['x-service-id']));
});

const breaks = (): never => {
  throw new Error('the disk is full');
};
/** As a repeat on another machine does when the attempt has taken too long. */
const takeOver = () => service.database.connection.deleteFrom('idempotency_keys').execute();
const repeatable = { 'idempotency-key': 'fails' };

for (const { name, body, headers, ...moment } of [
  { name: 'a render whose row cannot be written', transaction: breaks },
  { name: 'a hosted render whose row cannot be written', body: { response: 'json' }, transaction: breaks },
  { name: 'a repeatable render whose row cannot be written', headers: repeatable, transaction: breaks },
  { name: 'a hosted render that cannot be stored', body: { response: 'json' }, commit: breaks },
  { name: 'a repeatable render that cannot be stored', headers: repeatable, commit: breaks },
  { name: 'a repeatable render that was taken over', headers: repeatable, transaction: takeOver },
] as { name: string; body?: object; headers?: Record<string, string>; [moment: string]: unknown }[]) {
  test(`${name} is 500, and leaves no file, no descriptor and no unit`, async () => {
    const { key, accountId } = await service.newKey();
    interrupt = moment;
    const answer = await answerTo(ask(key, body, headers));
    answer.resume();
    assert.equal(answer.statusCode, 500);
    await nothingIsLeft();
    assert.equal(await unitsOf(accountId), 0);
    const leases = await service.database.connection.selectFrom('render_leases').selectAll().execute();
    assert.deepEqual(leases, []);
  });
}

for (const moment of ['rendered', 'transaction'] as const) {
  test(`a client that disconnects at the moment "${moment}" leaves no file and no descriptor`, async () => {
    const { key } = await service.newKey();
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    const { promise: gate, resolve: release } = Promise.withResolvers<void>();
    interrupt[moment] = async () => {
      reach();
      await gate;
    };
    const asked = ask(key);
    await reached;
    asked.destroy();
    assert.equal(openFilesIn(folder).length, 1);
    release();
    await nothingIsLeft();
  });
}

for (const [name, change, isWhole] of [
  ['longer', (path: string) => appendFile(path, 'HTTP/1.1 200 OK\r\n\r\n'), true],
  ['shorter', (path: string) => truncate(path, sizeBytes - 1), false],
] as const) {
  test(`a stored file that has become ${name} never sends another number of bytes on an open connection`, async () => {
    if (service.config.storage !== undefined) return;
    const { key } = await service.newKey();
    const kept = { 'idempotency-key': 'changed' };
    const hosted = await answerTo(ask(key, { response: 'json' }));
    const { id } = JSON.parse(Buffer.concat(await hosted.toArray()).toString()) as { id: string };
    const first = await answerTo(ask(key, {}, kept));
    assert.equal(await countBytes(first), sizeBytes);
    for (const each of [id, String(first.headers['x-service-id'])])
      await change(join(folder, 'store', each.slice(0, 2), each));
    const body = JSON.stringify({ url });
    for (const head of [
      `GET /s/${id} HTTP/1.1\r\nHost: x\r\n\r\n`,
      `POST /api/v1/screenshot HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nIdempotency-Key: changed\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    ]) {
      const { count, isClosed } = await bytesAfter(head);
      assert.deepEqual([count === sizeBytes, isClosed], [isWhole, !isWhole], `${count} bytes`);
    }
    for (const each of [id, String(first.headers['x-service-id'])]) await renderBlobs.delete(each);
    await nothingIsLeft();
  });
}

/** The length of the body of a response, and whether the connection was closed before the next one. */
async function bytesAfter(head: string): Promise<{ count: number; isClosed: boolean }> {
  const socket = connect(Number(new URL(service.origin).port), '127.0.0.1');
  socket.write(head);
  // Its response marks the end of the first one.
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  let received = 0;
  let start = 0;
  let tail = '';
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    if (start === 0) start = chunk.indexOf('\r\n\r\n') + 4;
    received += chunk.length;
    tail = (tail + chunk.toString('latin1')).slice(-10_000);
  }
  const next = tail.lastIndexOf('HTTP/1.1 200 OK\r\n');
  const isClosed = !tail.includes('{"status":"ok"');
  return { count: received - start - (isClosed ? 0 : tail.length - next), isClosed };
}
