// The request log summed by day, and response times estimated from its buckets.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RequestLogRow } from '#storage/schema.ts';
import { answerTimeMs, succeededOf, sumByDay } from '#metering/request-days.ts';

const row = (change: Partial<RequestLogRow>): RequestLogRow => ({
  id: crypto.randomUUID(),
  account_id: 'a',
  key_id: 'k',
  path: '/api/v1/upload',
  kind: 'upload',
  status: 201,
  code: null,
  reason: null,
  field: null,
  duration_ms: 15,
  created_at: Date.UTC(2026, 10, 10),
  phases: null,
  made: null,
  ...change,
});

test('rows are summed by day, key and kind, in a fixed order', () => {
  const sums = sumByDay([
    row({ key_id: 'z' }),
    row({}),
    row({ status: 415 }),
    row({ status: 500 }),
    row({ created_at: Date.UTC(2026, 10, 11) }),
    row({ key_id: null, path: '/api/v1/pdf', kind: 'render' }),
    row({ path: '/api/v2/uploads' }),
    row({ path: '/api/v2/uploads', kind: 'read', status: 200 }),
    row({ path: '/api/v2/renders', kind: null, status: 202 }),
  ]);
  assert.deepEqual(
    sums.map((sum) => [sum.key_id, sum.path, succeededOf(sum), sum.refused, sum.failed]),
    [
      ['', 'render', 1, 0, 0],
      ['k', 'queued', 1, 0, 0],
      ['k', 'read', 1, 0, 0],
      ['k', 'upload', 2, 1, 1],
      ['z', 'upload', 1, 0, 0],
      ['k', 'upload', 1, 0, 0],
    ],
  );
});

test('response times are within their bucket; errors do not count; without requests it is null', () => {
  const times = [5, 15, 15, 15, 15, 15, 15, 15, 15, 900];
  const sums = sumByDay([
    ...times.map((duration_ms) => row({ duration_ms })),
    row({ status: 502, duration_ms: 25_000 }),
  ]);
  const half = answerTimeMs(sums, 0.5)!;
  assert.ok(half > 10 && half <= 20, `${half}`);
  const slowest = answerTimeMs(sums, 0.95)!;
  assert.ok(slowest > 500 && slowest <= 1_000, `${slowest}`);
  assert.equal(answerTimeMs(sumByDay([row({ duration_ms: 99_000 })]), 0.95), 30_000);
  assert.equal(answerTimeMs(sumByDay([row({ status: 401 })]), 0.5), null);
});
