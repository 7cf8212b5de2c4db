// Exact under concurrency: with N units left, any number of parallel uploads stores exactly N files.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { booksOf } from '#test/support/books.ts';
import * as images from '#test/support/images.ts';
import { bearer, formOf, post } from '#test/support/requests.ts';
import { startService } from '#test/support/service.ts';
import { isOnServers } from '#test/support/stores.ts';

const plansFile = new URL('../fixtures/plans.json', import.meta.url).pathname;

test('4.1.3 200 parallel uploads with 50 units left: 50 stored, 150 answered 402, counter and ledger say 50', async () => {
  const service = await startService({ PLANS_FILE: plansFile });
  try {
    const { key, accountId, email } = await service.newKey({ plan: 'fifty-uploads' });
    const { key: second } = await service.accounts.createKey(email, 'second');
    const bytes = await images.png();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        post<{ slug: string }>(`${service.origin}/api/v1/upload`, {
          body: formOf([[bytes, `${index}.png`]]),
          headers: bearer(index % 2 === 0 ? key : second),
        }),
      ),
    );
    const stored = answers.filter(({ status }) => status === 201);
    assert.equal(stored.length, 50);
    assert.equal(answers.filter(({ status }) => status === 402).length, 150);

    const remaining = stored.map(({ headers }) => Number(headers.get('x-service-quota-remaining')));
    assert.deepEqual(
      remaining.toSorted((a, b) => a - b),
      Array.from({ length: 50 }, (_, index) => index),
      'each got a different standing',
    );
    assert.deepEqual(await booksOf(service, accountId), {
      counter: { used: 50, overage: 0 },
      ledger: { used: 50, overage: 0 },
    });

    for (const { body } of stored) {
      const served = await fetch(`${service.origin}/f/${body.slug}`);
      assert.deepEqual(Buffer.from(await served.arrayBuffer()), bytes);
    }
    if (isOnServers()) return;
    const blobs = await readdir(join(service.config.blobsDir, 'uploads', 'store'), {
      recursive: true,
      withFileTypes: true,
    });
    assert.equal(blobs.filter((entry) => entry.isFile()).length, 50, 'refused uploads left no bytes');
    assert.deepEqual(await readdir(join(service.config.blobsDir, 'uploads', 'spool')), []);
  } finally {
    await service.stop();
  }
});

test('8 parallel batches share the last units: each unit is taken once', async () => {
  const service = await startService({ PLANS_FILE: plansFile });
  try {
    const { key, accountId } = await service.newKey({ plan: 'fifty-uploads' });
    const bytes = await images.png();
    const files = Array.from({ length: 7 }, (_, index): [Buffer, string] => [bytes, `${index}.png`]);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        post<{ summary: { succeeded: number } }>(`${service.origin}/api/v1/upload/batch`, {
          body: formOf(files),
          headers: bearer(key),
        }),
      ),
    );
    const stored = answers.reduce((sum, { body }) => sum + body.summary.succeeded, 0);
    assert.equal(stored, 50);
    const { counter, ledger } = await booksOf(service, accountId);
    assert.deepEqual([counter.used, ledger.used], [50, 50]);
  } finally {
    await service.stop();
  }
});
