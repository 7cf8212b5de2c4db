// Mistakes of the caller: they fail at once, by name, and nothing is sent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Tintype, TintypeError, type Progress } from '#client/index.ts';
import { json, page, setUpClient } from './support.ts';

const set = setUpClient();

test('a base address without a scheme, of another scheme or with a password is refused', () => {
  const make = (baseUrl: unknown) => () => new Tintype({ baseUrl: baseUrl as string, apiKey: 'tt_a' });
  for (const baseUrl of ['localhost:4300', 'images.example.com', 'ftp://x.test', '']) {
    assert.throws(make(baseUrl), /^TypeError: baseUrl must begin with http:\/\/ or https:\/\//);
  }
  assert.throws(make('http://me:hidden@x.test'), (error: Error) => !error.message.includes('hidden'));
  assert.throws(() => new Tintype(), /^TypeError: baseUrl is missing; pass it, or set TINTYPE_URL/);
  assert.throws(
    () => new Tintype({ baseUrl: 'http://x.test' }),
    /^TypeError: apiKey is missing; pass it, or set TINTYPE_API_KEY/,
  );
});

test('maxRetries that is no number is refused', () => {
  for (const maxRetries of [Number.NaN, -1]) {
    assert.throws(
      () => new Tintype({ baseUrl: set.server.origin, apiKey: 'tt_a', maxRetries }),
      /^TypeError: maxRetries must be 0 or more/,
    );
  }
});

test('an idempotency key or a timeout that cannot be is refused, and nothing is sent', async () => {
  for (const idempotencyKey of ['żółć', '', 'a b', 'a\n', 'x'.repeat(241)]) {
    await assert.rejects(
      set.client.screenshot('https://x.test', { idempotencyKey }),
      /^TypeError: idempotencyKey/,
    );
    await assert.rejects(
      set.client.upload(Buffer.from('a'), { idempotencyKey }),
      /^TypeError: idempotencyKey/,
    );
    await assert.rejects(
      set.client.uploadBatch([Buffer.from('a')], { idempotencyKey }),
      /^TypeError: idempotency/,
    );
  }
  for (const timeoutMs of [Number.NaN, -1]) {
    await assert.rejects(set.client.pdf('https://x.test', { timeoutMs }), /^TypeError: timeoutMs must be/);
  }
  assert.equal(set.server.seen.length, 0);
  assert.deepEqual(set.clock.waits, []);
});

test('timeoutMs 0, Infinity and more than a timer can wait mean none', async () => {
  for (const timeoutMs of [0, Infinity, 2 ** 31]) {
    await set.client.screenshot('https://x.test', { timeoutMs });
  }
  assert.equal(set.server.seen.length, 3);
  assert.deepEqual(set.clock.deadlines, []);
});

test('an answer that is no result is bad_answer, with its attempts', async () => {
  for (const fault of [page(200), json(201, {}), json(200, [])]) {
    set.server.play(fault);
    const error = await set.client.upload(Buffer.from('a')).catch((reason: unknown) => reason);
    assert.ok(error instanceof TintypeError);
    assert.deepEqual([error.code, error.attempts], ['bad_answer', 1]);
  }
});

test('progress of bytes and Blobs is told every 64 KB', async () => {
  const bytes = Buffer.alloc(1024 * 1024);
  for (const file of [bytes, new Blob([bytes])]) {
    set.server.play(json(201, { id: 'up_1' }));
    const told: Progress[] = [];
    await set.client.upload(file, { onProgress: (progress) => told.push(progress) });
    assert.ok(told.length >= 16, `told ${told.length} times`);
    assert.deepEqual(told.at(-1), { sentBytes: bytes.length, totalBytes: bytes.length });
    assert.ok(set.server.seen[0]?.body.includes(bytes));
  }
});
