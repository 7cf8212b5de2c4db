// Behind PgBouncer in transaction mode, where every transaction may run on another connection.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { booksOf } from '#test/support/books.ts';
import { corpusNamesOf, layOut, readCorpus } from '#test/support/exchanges/exchange.ts';
import { play } from '#test/support/exchanges/play.ts';
import { openStage } from '#test/support/exchanges/stage.ts';
import * as images from '#test/support/images.ts';
import { hasPgbouncer, startPgbouncer } from '#test/support/pgbouncer.ts';
import { startPostgres } from '#test/support/postgres.ts';
import { bearer, formOf, post } from '#test/support/requests.ts';
import { startService } from '#test/support/service.ts';
import { signedInVisitor } from '#test/support/visitor.ts';

test('every recorded exchange of version 1 is the same through PgBouncer', async (context) => {
  if (!hasPgbouncer()) return context.skip('pgbouncer is not installed');
  await using cleanUp = new AsyncDisposableStack();
  const postgres = await startPostgres();
  cleanUp.defer(postgres.stop);
  const bouncer = await startPgbouncer(await postgres.newDatabase());
  cleanUp.defer(bouncer.stop);
  const stage = await openStage(1, { DATABASE_URL: bouncer.url });
  cleanUp.defer(stage.close);
  for (const name of corpusNamesOf(1)) {
    const { request, sequences } = readCorpus(1, name);
    for (const sequence of sequences) {
      const played = await play(sequence, request, stage);
      assert.deepEqual(layOut(played).split('\n'), layOut(sequence).split('\n'), `${name}: ${sequence.name}`);
    }
  }
});

test('uploads and the dashboard through PgBouncer, on two connections to the server', async (context) => {
  if (!hasPgbouncer()) return context.skip('pgbouncer is not installed');
  await using cleanUp = new AsyncDisposableStack();
  const postgres = await startPostgres();
  cleanUp.defer(postgres.stop);
  const bouncer = await startPgbouncer(await postgres.newDatabase(), { serverConnections: 2 });
  cleanUp.defer(bouncer.stop);
  const service = await startService({ DATABASE_URL: bouncer.url });
  cleanUp.defer(service.stop);

  const { key, accountId } = await service.newKey();
  const picture = await images.png();
  // More than the product keeps connections, each of which would run into what another has prepared.
  const answers = await Promise.all(
    Array.from({ length: 40 }, () =>
      post(`${service.origin}/api/v1/upload/batch`, {
        body: formOf([
          [picture, 'a.png'],
          [picture, 'b.png'],
        ]),
        headers: bearer(key),
      }),
    ),
  );
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
  assert.deepEqual(await booksOf(service, accountId), {
    counter: { used: 80, overage: 0 },
    ledger: { used: 80, overage: 0 },
  });
  const visitor = await signedInVisitor(service);
  assert.equal((await visitor.call('GET /uploads')).status, 200);
});
