// What a render leaves behind: several outputs are stored, metered and recorded together or not at all. v2 2.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { RenderFailure } from '#browser/browser.ts';
import type { RenderFailureReason } from '#browser/browser.ts';
import { readBlob } from '#storage/blobs.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { contentOf, engines, openKit, page, requestFor, type Kit } from '#test/renders/kit.ts';

for (const engine of engines) {
  describe(`renders on ${engine.name}`, () => {
    let kit: Kit;
    before(async () => {
      kit = await openKit(engine);
    });
    after(() => kit.close());

    test('a picture, a PDF and two extracts of one load cost two units and are all stored', async () => {
      const payer = await kit.newPayer();
      const formats = ['markdown', 'png', 'pdf', 'metadata'] as const;
      const finished = await kit.render(payer, requestFor([...formats], { reference: 'order 7' }));
      const { id } = finished;
      assert.deepEqual(
        finished.outputs.map((output) => [output.id, output.format, output.text]),
        [
          [id, 'markdown', contentOf('markdown', 0)],
          [`${id}-1`, 'png', null],
          [`${id}-2`, 'pdf', null],
          [`${id}-3`, 'metadata', contentOf('metadata', 3)],
        ],
      );
      assert.deepEqual(await kit.books(payer), { used: 2, ledger: 2, leases: 0 });
      assert.deepEqual([finished.units, finished.quota.remaining], [2, 98]);
      for (const { id: key, format } of finished.outputs) {
        const place = formats.indexOf(format as 'png');
        assert.equal(String(await readBlob(kit.blobs, key)), contentOf(format, place));
      }
      const row = (await kit.database.tables.renders.byId(id))!;
      assert.deepEqual(
        [row.kind, row.content_type, row.outputs, row.units, row.sha256],
        ['screenshot', 'image/png', 4, 2, finished.outputs[0]!.sha256],
      );
      assert.equal(
        row.size_bytes,
        finished.outputs.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      );
      const { bytes, quota: _quota, ...stored } = finished;
      assert.equal(bytes, undefined);
      assert.deepEqual(await kit.renderHistory.find(payer.accountId, id), stored, 'GET shows the same');
      assert.deepEqual([stored.page, stored.url], [page, 'https://93.184.216.34/a'], 'without the query');
      assert.deepEqual(
        Object.values(stored.timing).filter((ms) => !Number.isInteger(ms)),
        [],
      );
    });

    test('extracts alone cost one unit together', async () => {
      const payer = await kit.newPayer();
      const { id, units } = await kit.render(payer, requestFor(['html', 'text', 'metadata']));
      assert.equal(units, 1);
      assert.deepEqual(await kit.books(payer), { used: 1, ledger: 1, leases: 0 });
      const row = await kit.database.tables.renders.byId(id);
      assert.deepEqual([row?.kind, row?.content_type], ['extract', 'text/html; charset=utf-8']);
    });

    test('an extract of more than 1 MB is not part of the answer', async () => {
      const payer = await kit.newPayer();
      kit.browser.padTo = 1024 * 1024 + 1;
      const { id, outputs } = await kit.render(payer, requestFor(['text'])).finally(() => {
        kit.browser.padTo = 0;
      });
      assert.equal(outputs[0]?.text, null);
      assert.equal((await kit.renderHistory.find(payer.accountId, id))?.outputs[0]?.text, null);
    });

    test('bytes that are not hosted leave a row and no file, or one file for a replay', async () => {
      const payer = await kit.newPayer();
      const plain = await kit.render(payer, requestFor(['text'], { isHosted: false }));
      const replayed = await kit.render(payer, requestFor(['png'], { isHosted: false, keepMs: 1_000 }));
      for (const { bytes } of [plain, replayed]) {
        assert.ok(bytes);
        assert.match(Buffer.concat((await bytes.stream.toArray()) as Buffer[]).toString(), /^(text|png) of/);
        bytes[Symbol.dispose]();
      }
      assert.equal(await readBlob(kit.blobs, plain.id), undefined);
      assert.ok(await readBlob(kit.blobs, replayed.id));
      const found = await kit.renderHistory.find(payer.accountId, plain.id);
      assert.deepEqual(
        [found?.outputs[0]?.isHosted, found?.outputs[0]?.text, found?.expiresAt],
        [false, null, null],
      );
      await kit.clock.advance(1_000);
      await kit.hostedRenders.sweep();
      assert.equal(await readBlob(kit.blobs, replayed.id), undefined);
      assert.ok(await kit.renderHistory.find(payer.accountId, replayed.id), 'it stays in the history');
    });

    test('all units are reserved at once: what does not fit is a 402 before the page is opened', async () => {
      const payer = await kit.newPayer({ renders_per_month: 4, concurrent_renders: 10 });
      await kit.render(payer, requestFor(['png', 'pdf']));
      let opened = 0;
      kit.browser.before = async () => void (opened += 1);
      await assert.rejects(kit.render(payer, requestFor(['png', 'jpeg', 'webp'])), {
        code: 'quota_exceeded',
        message: /^This request needs 3 render units, and 2 of the monthly quota of 4 are left\./,
      });
      assert.equal(opened, 0);
      await kit.render(payer, requestFor(['png', 'jpeg', 'text']));
      await assert.rejects(kit.render(payer, requestFor(['text'])), { message: /^The monthly quota of 4/ });
      assert.deepEqual(await kit.books(payer), { used: 4, ledger: 4, leases: 0 });
    });

    test('with 20 units left, renders of 3 units at once: 6 are made, the others are 402, 18 units are charged', async () => {
      const payer = await kit.newPayer({ renders_per_month: 20, concurrent_renders: 100 });
      // None ends before all have asked.
      const allAsked = Promise.withResolvers<void>();
      kit.browser.before = () => allAsked.promise;
      let refused = 0;
      const outcomes = Array.from({ length: 16 }, () =>
        kit.render(payer, requestFor(['png', 'jpeg', 'pdf', 'text'])).then(
          () => 'made',
          (error: { code: string }) => {
            refused += 1;
            return error.code;
          },
        ),
      );
      await waitFor('all to ask', async () => refused + (await kit.books(payer)).leases === 16);
      allAsked.resolve();
      const ended = await Promise.all(outcomes);
      kit.browser.before = async () => {};
      assert.deepEqual(
        [
          ended.filter((end) => end === 'made').length,
          ended.filter((end) => end === 'quota_exceeded').length,
        ],
        [6, 10],
      );
      assert.deepEqual(await kit.books(payer), { used: 18, ledger: 18, leases: 0 });
    });

    test('a cap that is reached is a 429 while units are only reserved, and a 402 if they can never fit', async () => {
      const payer = await kit.newPayer({ renders_per_month: 3, concurrent_renders: 1 });
      const { leaseId } = await kit.slots.acquire(payer, 2);
      await assert.rejects(kit.slots.acquire(payer, 3), { code: 'concurrency_limited' });
      await assert.rejects(kit.slots.acquire(payer, 4), { code: 'quota_exceeded' });
      await kit.slots.release(leaseId);
    });

    test('a render that fails leaves no file, no unit and no lease, and its reason in the history', async () => {
      const payer = await kit.newPayer();
      const before = await kit.keys();
      kit.browser.before = async () => {
        throw new RenderFailure('condition_unmet', 'wait_for: the page said \0 nothing', {
          field: 'wait_for[0]',
        });
      };
      await assert.rejects(kit.render(payer, requestFor(['png', 'text'], { reference: 'x' })), {
        code: 'render_failed',
        details: { reason: 'condition_unmet', field: 'wait_for[0]', retryable: false },
      });
      kit.browser.before = async () => {};
      assert.deepEqual(await kit.books(payer), { used: 0, ledger: 0, leases: 0 });
      assert.deepEqual(await kit.keys(), before);
      const { items } = await kit.renderHistory.list(payer.accountId, {
        limit: 10,
        cursor: undefined,
        reference: 'x',
      });
      assert.deepEqual(
        items.map(({ units, outputs, failure }) => ({ units, outputs, failure })),
        [
          {
            units: 0,
            outputs: [],
            failure: {
              reason: 'condition_unmet',
              field: 'wait_for[0]',
              message: 'wait_for: the page said \u{fffd} nothing',
              requestId: null,
            },
          },
        ],
      );
    });

    test('an event is there with its row or not at all, and only if somebody listens', async () => {
      const quiet = await kit.newPayer();
      const payer = { ...(await kit.newPayer()), webhookEvents: 'render.succeeded,render.failed' };
      await kit.database.connection
        .insertInto('webhook_endpoints')
        .values({
          id: payer.accountId.toUpperCase(),
          account_id: payer.accountId,
          url: 'https://93.184.216.34/hook',
          events: payer.webhookEvents,
          created_at: 0,
          waiting: 0,
        } as never)
        .execute();
      const recorded = async () => {
        const rows = await kit.database.connection
          .selectFrom('webhook_deliveries')
          .selectAll()
          .where('account_id', 'in', [quiet.accountId, payer.accountId])
          .orderBy('created_at')
          .execute();
        return rows.map(({ event, body, render_id }) => [
          event,
          render_id ?? (JSON.parse(body) as { data: { id: string } }).data.id,
        ]);
      };
      const rolledBack = kit.render(payer, requestFor(['png']), async () => {
        throw new Error('no');
      });
      await assert.rejects(rolledBack, { message: 'no' });
      const { id: unheard } = await kit.render(quiet, requestFor(['png']));
      assert.deepEqual([await recorded(), unheard.length], [[], 20]);
      const { id } = await kit.render(payer, requestFor(['png']));
      assert.deepEqual(await recorded(), [['render.succeeded', id]]);
      for (const reason of ['aborted', 'timed_out'] as const) {
        await kit.clock.advance(1_000);
        kit.browser.before = async () => {
          throw new RenderFailure(reason, 'no page');
        };
        for (const each of [quiet, payer])
          await assert.rejects(kit.render(each, requestFor(['png'])), { code: 'render_failed' });
      }
      kit.browser.before = async () => {};
      const query = { limit: 1, cursor: undefined, reference: undefined };
      const { items } = await kit.renderHistory.list(payer.accountId, query);
      assert.deepEqual((await recorded()).slice(1), [['render.failed', items[0]?.id]]);
    });

    test('each failure has its reason, the field of its source, and whether it may be retried', async () => {
      const payer = await kit.newPayer();
      const expected: [RenderFailureReason, string, boolean][] = [
        ['unresolved', 'unreachable', true],
        ['timed_out', 'timeout', true],
        ['denied', 'not_public', false],
        ['no_content', 'download', false],
        ['crashed', 'crashed', true],
      ];
      for (const [reason, shown, retryable] of expected) {
        kit.browser.before = async () => {
          throw new RenderFailure(reason, 'no');
        };
        const details = { reason: shown, field: 'url', retryable };
        await assert.rejects(kit.render(payer, requestFor(['png'])), { details, message: 'url: no' });
      }
      const source = { kind: 'html', text: '<p>', baseUrl: null, files: [] } as const;
      await assert.rejects(kit.render(payer, requestFor(['png'], { source: { ...source, files: [] } })), {
        message: 'html: no',
      });
      await assert.rejects(kit.render(payer, requestFor(['pdf'], { version: 1 })), {
        code: 'render_failed',
        message: 'url: no',
        details: { field: 'url' },
      });
      kit.browser.before = async () => {};
    });

    test('a document has no address, or its base URL, which must be public and need not resolve', async () => {
      const payer = await kit.newPayer();
      const source = (baseUrl: string | null) =>
        ({ kind: 'markdown', text: '# Hi', baseUrl, files: [] }) as const;
      const rendered = async (baseUrl: string | null) => {
        const request = requestFor(['png'], { source: { ...source(baseUrl), files: [] } });
        return kit.render(payer, request);
      };
      const bare = await rendered(null);
      assert.deepEqual([bare.source, bare.url], ['markdown', null]);
      const named = await rendered('https://nowhere.invalid/a?b');
      assert.equal(named.url, 'https://nowhere.invalid/a');
      await assert.rejects(rendered('http://127.0.0.1/'), {
        code: 'validation_error',
        details: { field: 'base_url' },
      });
      assert.deepEqual(await kit.books(payer), { used: 2, ledger: 2, leases: 0 });
    });

    test('a reference that no database stores is refused before the page is opened, and in a list', async () => {
      const payer = await kit.newPayer();
      const refused = { code: 'validation_error', message: /^reference: must not contain/ };
      await assert.rejects(kit.render(payer, requestFor(['png'], { reference: 'a\0b' })), refused);
      const query = { limit: 1, cursor: undefined, reference: '\0' };
      await assert.rejects(kit.renderHistory.list(payer.accountId, query), refused);
    });

    test('a list is newest first, in pages, and finds a reference; another account sees nothing', async () => {
      const payer = await kit.newPayer({ renders_per_month: 100 });
      const stranger = await kit.newPayer();
      const made: string[] = [];
      for (let place = 0; place < 5; place += 1) {
        const reference = place % 2 === 0 ? 'even' : null;
        made.unshift((await kit.render(payer, requestFor(['text'], { reference }))).id);
        await kit.clock.advance(1);
      }
      const list = async (reference?: string) => {
        const ids: string[][] = [];
        for (let cursor: string | null | undefined; cursor !== null;) {
          const { items, nextCursor } = await kit.renderHistory.list(payer.accountId, {
            limit: 2,
            cursor,
            reference,
          });
          ids.push(items.map(({ id }) => id));
          assert.ok(items.every(({ outputs }) => outputs[0]?.text === null));
          cursor = nextCursor;
        }
        return ids;
      };
      const [e, d, c, b, a] = made;
      assert.deepEqual(await list(), [[e, d], [c, b], [a]]);
      assert.deepEqual(await list('even'), [[e, c], [a]]);
      assert.deepEqual(await list('odd'), [[]]);
      await assert.rejects(
        kit.renderHistory.list(payer.accountId, { limit: 2, cursor: 'no', reference: undefined }),
        { code: 'validation_error', details: { field: 'cursor' } },
      );
      const other = { limit: 9, cursor: undefined, reference: undefined };
      assert.deepEqual(await kit.renderHistory.list(stranger.accountId, other), {
        items: [],
        nextCursor: null,
      });
      assert.equal(await kit.renderHistory.find(stranger.accountId, a!), undefined);
      assert.equal(await kit.renderHistory.delete(stranger.accountId, a!), false);
    });

    test('deletion, expiry, the purge of an account and the orphan sweep delete every output', async () => {
      const payer = await kit.newPayer();
      const neighbour = await kit.newPayer();
      const request = requestFor(['png', 'pdf', 'text']);
      const kept = await kit.render(neighbour, request);
      const keysOf = async ({ id }: { id: string }) =>
        (await kit.keys()).filter((key) => key.startsWith(id)).length;

      const deleted = await kit.render(payer, request);
      assert.equal(await keysOf(deleted), 3);
      assert.equal(await kit.renderHistory.delete(payer.accountId, deleted.id), true);
      assert.equal(await kit.renderHistory.delete(payer.accountId, deleted.id), false);
      assert.equal(await keysOf(deleted), 0);
      assert.equal(await kit.renderHistory.find(payer.accountId, deleted.id), undefined);

      const expiring = await kit.render(payer, { ...request, expiresInSeconds: 60 });
      assert.equal(expiring.expiresAt, kit.clock.now() + 60_000);
      assert.ok(await kit.hostedRenders.byId(`${expiring.id}-2`));
      await kit.clock.advance(60_000);
      assert.equal(await kit.hostedRenders.byId(`${expiring.id}-2`), undefined);
      assert.equal(await kit.renderHistory.find(payer.accountId, expiring.id), undefined);
      assert.equal(await kit.renderHistory.delete(payer.accountId, expiring.id), false);
      await kit.hostedRenders.sweep();
      assert.equal(await keysOf(expiring), 0);

      const purged = await kit.render(payer, request);
      await kit.hostedRenders.purgeAccount(payer.accountId);
      assert.equal(await keysOf(purged), 0);

      const orphaned = await kit.render(payer, request);
      await kit.database.tables.renders.purge([orphaned.id]);
      // The store's own clock says when a file was written.
      await kit.clock.advance(Date.now() + 2 * 60 * 60 * 1000 - kit.clock.now());
      await kit.hostedRenders.sweepOrphans();
      assert.equal(await keysOf(orphaned), 0);
      assert.equal(await keysOf(kept), 3);
    });

    test('an output is found by its own id and by nothing else', async () => {
      const payer = await kit.newPayer();
      const { id } = await kit.render(payer, requestFor(['png', 'text']));
      const formatAt = async (key: string) => (await kit.hostedRenders.byId(key))?.output.format;
      assert.deepEqual([await formatAt(id), await formatAt(`${id}-1`)], ['png', 'text']);
      for (const key of [`${id}-0`, `${id}-2`, `${id}-01`, `${id}-`, `${id}-1-1`, `${id}\0`, ''])
        assert.equal(await formatAt(key), undefined, key);
    });
  });
}

describe('faults', () => {
  const [engine] = engines;

  test('a transaction that fails takes back all files of the render', async () => {
    const kit = await openKit(engine!);
    try {
      const payer = await kit.newPayer();
      const broken = kit.render(payer, requestFor(['png', 'pdf']), async () => {
        assert.equal((await kit.keys()).length, 2, 'both were durable');
        throw new Error('no');
      });
      await assert.rejects(broken, { message: 'no' });
      assert.deepEqual(await kit.keys(), []);
      assert.deepEqual(await kit.books(payer), { used: 0, ledger: 0, leases: 0 });
    } finally {
      await kit.close();
    }
  });

  test('a store that fails at the second output takes back the first', async () => {
    let commits = 0;
    const kit = await openKit(engine!, {
      wrapBlobs: (blobs) => ({
        ...blobs,
        async adopt(file, account) {
          const adopted = await blobs.adopt(file, account);
          return {
            ...adopted,
            async commit(key) {
              commits += 1;
              if (commits === 2) throw new Error('the disk is full');
              await adopted.commit(key);
            },
          };
        },
      }),
    });
    try {
      const payer = await kit.newPayer();
      await assert.rejects(kit.render(payer, requestFor(['png', 'pdf'])), { message: 'the disk is full' });
      assert.deepEqual(await kit.keys(), []);
      assert.deepEqual(await kit.books(payer), { used: 0, ledger: 0, leases: 0 });
      await kit.render(payer, requestFor(['png', 'pdf']));
      assert.equal((await kit.keys()).length, 2);
    } finally {
      await kit.close();
    }
  });

  test('a blob that cannot be deleted keeps its row until the next sweep', async () => {
    let isStuck = true;
    const kit = await openKit(engine!, {
      wrapBlobs: (blobs) => ({
        ...blobs,
        async delete(key) {
          if (isStuck && key.endsWith('-1')) throw new Error('busy');
          await blobs.delete(key);
        },
      }),
    });
    try {
      const payer = await kit.newPayer();
      const { id } = await kit.render(payer, requestFor(['png', 'pdf']));
      assert.equal(await kit.renderHistory.delete(payer.accountId, id), true);
      assert.deepEqual(await kit.keys(), [`${id}-1`]);
      isStuck = false;
      await kit.hostedRenders.sweep();
      assert.deepEqual(await kit.keys(), []);
      assert.equal(await kit.database.tables.renders.byId(id), undefined);
    } finally {
      await kit.close();
    }
  });

  test('a private address is refused at once, by its field', async () => {
    const kit = await openKit(engine!);
    try {
      const payer = await kit.newPayer();
      const request = requestFor(['png'], { source: { kind: 'url', url: 'http://10.0.0.1/' } });
      await assert.rejects(kit.render(payer, request), {
        code: 'validation_error',
        details: { field: 'url' },
      });
      assert.deepEqual(await kit.books(payer), { used: 0, ledger: 0, leases: 0 });
    } finally {
      await kit.close();
    }
  });
});
