// What the lists of version 2 can be narrowed to: a time, a hash, a state. Spec 10.1, 10.8.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { hashSecret, newId } from '#core/ids.ts';
import { renderStates, type RenderRow } from '#storage/schema.ts';
import { bearer, type Answer } from '#test/support/requests.ts';
import { renderRow, uploadRow } from '#test/storage/rows.ts';
import { startService, type TestService } from '#test/support/service.ts';

let service: TestService;
before(async () => {
  service = await startService({
    PLANS_FILE: new URL('../../fixtures/plans.json', import.meta.url).pathname,
  });
});
after(() => service.stop());

interface List {
  items: { id: string; state?: string }[];
  next_cursor: string | null;
}
interface Failure {
  error: { code: string; field: string; message: string };
}

const read = async <T>(as: string, path: string): Promise<Answer<T>> => {
  const response = await fetch(`${service.origin}/api/v2/${path}`, { headers: bearer(as) });
  return { status: response.status, headers: response.headers, body: (await response.json()) as T };
};

/** Three uploads and three renders, an hour apart. */
const times = ['2026-02-01T09:00:00.000Z', '2026-02-01T10:00:00.000Z', '2026-02-01T11:00:00.000Z'];

for (const [list, clause] of [
  ['uploads', '10.8'],
  ['renders', '10.1'],
] as const)
  describe(`${clause} ${list} of a time`, () => {
    let key: string;
    let ids: string[];
    before(async () => {
      const account = await service.newKey();
      key = account.key;
      const { uploads, renders } = service.database.tables;
      ids = [];
      for (const [index, time] of times.entries()) {
        const change = { created_at: Date.parse(time), sha256: hashSecret(`file ${index}`) };
        const row = (list === 'uploads' ? uploadRow : renderRow)(account.accountId, change);
        if (list === 'uploads') await uploads.insert(row as ReturnType<typeof uploadRow>);
        else await renders.insert(row as RenderRow);
        ids.push(row.id);
      }
    });
    /** Which of the three, the newest first. */
    const found = async (query: string) => {
      const { status, body } = await read<List>(key, `${list}?${query}`);
      assert.equal(status, 200, query);
      return body.items.map(({ id }) => ids.indexOf(id));
    };

    test('created_after and created_before are exclusive, and any offset is understood', async () => {
      const [first, second, third] = times as [string, string, string];
      assert.deepEqual(await found(''), [2, 1, 0]);
      assert.deepEqual(await found(`created_after=${first}`), [2, 1]);
      assert.deepEqual(await found(`created_before=${third}`), [1, 0]);
      assert.deepEqual(await found(`created_after=${first}&created_before=${third}`), [1]);
      assert.deepEqual(await found('created_after=2026-02-01T08:59:59.999Z'), [2, 1, 0]);
      assert.deepEqual(await found('created_after=2026-02-01T09:59:59.999-00:00'), [2, 1]);
      assert.deepEqual(await found('created_before=2026-02-01T11:00:00%2B01:00'), [0]);
      assert.deepEqual(await found(`created_after=${second}&created_before=${second}`), []);
    });

    test('a page of a time leads to the next page of the same time', async () => {
      const query = `${list}?limit=1&created_after=${times[0]}`;
      const first = (await read<List>(key, query)).body;
      const second = (await read<List>(key, `${query}&cursor=${first.next_cursor}`)).body;
      assert.deepEqual(
        [first, second].map(({ items }) => items.map(({ id }) => id)),
        [[ids[2]], [ids[1]]],
      );
      assert.equal(second.next_cursor, null);
    });

    for (const field of ['created_after', 'created_before'])
      for (const [given, message] of [
        ['yesterday', /a date and time such as 2026-01-31T09:00:00Z, not "yesterday"/],
        ['2026-02-30T09:00:00Z', /a date and time such as/],
        ['2026-02-01', /a date and time such as/],
        ['1767225600', /a date and time such as/],
        ['', /a date and time such as/],
        ['2016-12-31T23:59:60Z', /without a leap second; send the second after it/],
      ] as const)
        test(`${field}=${given} is a 422`, async () => {
          const { status, body } = await read<Failure>(key, `${list}?${field}=${given}`);
          assert.deepEqual([status, body.error.code, body.error.field], [422, 'validation_error', field]);
          assert.match(body.error.message, message);
        });
  });

test('10.8 uploads by the hash of their bytes, in either case, with the other filters', async () => {
  const { key, accountId } = await service.newKey();
  const other = await service.newKey();
  const sha256 = hashSecret('the same bytes');
  const { uploads } = service.database.tables;
  const rows = ['a.png', 'b.png'].map((filename, index) =>
    uploadRow(accountId, { filename, sha256, created_at: 1_000 + index }),
  );
  await uploads.insert(...rows, uploadRow(accountId, { sha256: hashSecret('other bytes') }));
  await uploads.insert(uploadRow(other.accountId, { sha256 }));
  const found = async (query: string) =>
    (await read<List>(key, `uploads?${query}`)).body.items.map(({ id }) => id);
  const [a, b] = rows.map(({ id }) => id);
  assert.deepEqual(await found(`sha256=${sha256}`), [b, a]);
  assert.deepEqual(await found(`sha256=${sha256.toUpperCase()}`), [b, a]);
  assert.deepEqual(await found(`sha256=${sha256}&search=A.PNG`), [a]);
  assert.deepEqual(await found(`sha256=${sha256}&created_after=1970-01-01T00:00:01.000Z`), [b]);
  assert.deepEqual(await found(`sha256=${'0'.repeat(64)}`), []);
  for (const wrong of ['', 'abc', `${sha256}0`, 'g'.repeat(64)]) {
    const { status, body } = await read<Failure>(key, `uploads?sha256=${wrong}`);
    assert.deepEqual([status, body.error.field], [422, 'sha256'], wrong);
    assert.match(body.error.message, /must be 64 hexadecimal digits, not/);
  }
});

test('10.1 renders by their state: each is in one list, the one that its receipt names', async () => {
  const { key, accountId } = await service.newKey({ plan: 'one-slot' });
  const { renders, renderLeases, renderJobs } = service.database.tables;
  // Takes the only slot, so that what waits goes on waiting.
  const held = { id: newId(), account_id: accountId, key_id: null, expires_at: 1e15, units: 0 };
  await renderLeases.insert(held);
  const now = service.clock.now();
  const row = (change: Partial<RenderRow>) =>
    renderRow(accountId, { created_at: now, finished_at: now, ...change });
  const pending = { state: 'pending', finished_at: null, hosted: 0 } as const;
  const rows: Record<(typeof renderStates)[number], RenderRow> = {
    running: row({ ...pending, created_at: now - 1 }),
    queued: row(pending),
    succeeded: row({}),
    failed: row({ failure: 'the page did not answer', hosted: 0 }),
    canceled: row({ state: 'canceled', failure: 'canceled', hosted: 0 }),
  };
  for (const one of Object.values(rows)) await renders.insert(one);
  await renderJobs.lockQueue(accountId);
  for (const { id, created_at } of [rows.running, rows.queued])
    await renderJobs.insert({
      id,
      account_id: accountId,
      key_id: null,
      created_at,
      units: 1,
      webhook_url: null,
      request_bytes: 0,
    });
  // It begins the oldest.
  const begun = await renderJobs.claim(accountId, { claim: newId(), now, leaseMs: 1e15 });
  assert.equal(begun?.id, rows.running.id);
  const found = async (query: string) =>
    (await read<List>(key, `renders${query}`)).body.items.map(({ id, state }) => [state, id]);
  assert.equal((await found('')).length, renderStates.length);
  for (const state of renderStates)
    assert.deepEqual(await found(`?state=${state}`), [[state, rows[state].id]], state);
  assert.deepEqual(await found(`?state=failed&created_after=${new Date(now).toISOString()}`), []);
  const { status, body } = await read<Failure>(key, 'renders?state=done');
  assert.deepEqual([status, body.error.field], [422, 'state']);
  assert.match(body.error.message, /one of queued, running, succeeded, failed, canceled, not "done"/);
});
