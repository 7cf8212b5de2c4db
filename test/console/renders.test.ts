// The renders page with renders of version 2: several outputs, references, extracts, and what the account API shows of them; and the
// playground's renders, which can be hosted afterwards.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bearer } from '#test/support/requests.ts';
import * as images from '#test/support/images.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { storeRender } from '#test/support/stored-render.ts';
import { signedInVisitor } from '#test/support/visitor.ts';

let service: TestService;
before(async () => {
  service = await startService();
});
after(() => service.stop());

test('a render shows its formats, reference, links and thumbnail; deleting it deletes all outputs', async () => {
  const visitor = await signedInVisitor(service);
  const { signed_in } = (await visitor.call('GET /session')).body;
  const { id: accountId, email } = signed_in!;
  const { key } = await service.accounts.createKey(email, 'test');
  const picture = await images.pngOfSize(20_000);
  const text = Buffer.from('# A page');
  const several = await storeRender(
    service,
    accountId,
    [
      { format: 'markdown', bytes: text },
      { format: 'png', bytes: picture },
    ],
    { reference: 'order 7' },
  );
  await service.clock.advance(1_000);
  const extract = await storeRender(service, accountId, [{ format: 'html', bytes: text }]);

  const { items } = (await visitor.call('GET /renders')).body;
  assert.deepEqual(
    items.map((item) => [item.id, item.kind, item.formats, item.reference, item.url, item.share_url]),
    [
      [extract, 'extract', ['html'], null, `http://tintype.test/s/${extract}`, null],
      [
        several,
        'screenshot',
        ['markdown', 'png'],
        'order 7',
        `http://tintype.test/s/${several}-1`,
        `http://tintype.test/i/${several}-1`,
      ],
    ],
  );
  assert.deepEqual(
    items[1]?.outputs.map(({ format, url, size_bytes }) => [format, url, size_bytes]),
    [
      ['markdown', `http://tintype.test/s/${several}`, text.length],
      ['png', `http://tintype.test/s/${several}-1`, picture.length],
    ],
  );
  assert.deepEqual((await visitor.call('GET /renders/ids')).body.ids, [extract, several]);
  const ofKind = await visitor.call('GET /renders/ids', { query: { kind: 'extract' } });
  assert.deepEqual(ofKind.body.ids, [extract]);
  const extracts = await visitor.call('GET /renders', { query: { kind: 'extract' } });
  assert.deepEqual(
    extracts.body.items.map(({ id }) => id),
    [extract],
  );
  const thumbnail = await visitor.raw('GET /renders/:id/thumbnail', { id: several });
  assert.deepEqual([thumbnail.status, thumbnail.headers.get('content-type')], [200, 'image/webp']);
  assert.equal((await visitor.raw('GET /renders/:id/thumbnail', { id: extract })).status, 404);

  const listed = await fetch(`${service.origin}/api/account/renders`, { headers: bearer(key) });
  const page = (await listed.json()) as { items: Record<string, unknown>[] };
  assert.deepEqual(
    page.items.map(({ id, kind, url }) => [id, kind, url]),
    [[several, 'screenshot', `http://tintype.test/s/${several}-1`]],
    'extracts are version 2 and not in it',
  );
  assert.ok(!('reference' in page.items[0]!));

  const tar = Buffer.from(await (await visitor.raw('GET /export')).arrayBuffer()).toString('latin1');
  for (const name of [`${several}.md`, `${several}-1.png`, `${extract}.html`])
    assert.ok(tar.includes(`renders/${name}\0`), name);

  assert.deepEqual((await visitor.call('DELETE /renders/:id', { id: several })).body, { deleted: [several] });
  for (const path of [several, `${several}-1`])
    assert.equal((await fetch(`${service.origin}/s/${path}`)).status, 404);
});

test('a deleted render is restored with its links for seven days, or deleted for good at once', async () => {
  const visitor = await signedInVisitor(service);
  const bytes = await images.png();
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1)
    ids.push(await storeRender(service, visitor.accountId, [{ format: 'png', bytes }]));
  const [back, gone, left] = ids as [string, string, string];
  const status = async (id: string) => (await fetch(`${service.origin}/s/${id}`)).status;
  const { renders } = service.database.tables;
  const kept = async (id: string) => (await renders.existing([id])).has(id);

  assert.equal((await visitor.call('POST /renders/delete', { body: { ids } })).body.deleted.length, 3);
  assert.deepEqual(await Promise.all(ids.map(status)), [404, 404, 404]);
  const { items } = (await visitor.call('GET /renders/deleted')).body;
  assert.deepEqual(items.map(({ id }) => id).toSorted(), ids.toSorted());
  const daysLeft = (Date.parse(items[0]!.restorable_until) - service.clock.now()) / 86_400_000;
  assert.equal(Math.round(daysLeft), 7);
  await service.clock.advance(60_000);
  assert.deepEqual(await Promise.all(ids.map(kept)), [true, true, true]);

  const restored = await visitor.call('POST /renders/restore', { body: { ids: [back] } });
  assert.deepEqual(restored.body, { restored: [back] });
  const page = (await visitor.call('GET /renders')).body;
  assert.deepEqual(
    page.items.map(({ id }) => id),
    [back],
  );
  assert.equal(await status(back), 200);

  assert.deepEqual((await visitor.call('POST /renders/purge', { body: { ids: [gone] } })).body, {
    deleted: [gone],
  });
  assert.deepEqual([await kept(gone), await kept(left)], [false, true]);
  assert.equal((await visitor.call('POST /renders/restore', { body: { ids: [gone] } })).status, 404);
  await service.clock.advance(7 * 86_400_000 + 1);
  assert.deepEqual([await kept(left), await kept(back)], [false, true], 'its time is over');
  assert.equal((await visitor.call('POST /renders/restore', { body: { ids: [left] } })).status, 404);
  await service.clock.advance(-7 * 86_400_000 - 1);
});

test('a render of the playground is hosted afterwards, without a further unit, while its bytes are kept', async () => {
  const visitor = await signedInVisitor(service, { plan: 'free' });
  const body = { html: '<title>Shared</title><h1>One</h1>', viewport: { width: 320, height: 320 } };
  const run = async (headers = {}) => {
    const response = await visitor.raw('POST /playground/render', { body, headers });
    return {
      id: response.headers.get('x-service-id') ?? '',
      bytes: Buffer.from(await response.arrayBuffer()),
    };
  };
  const kept = await run({ 'idempotency-key': 'one' });
  assert.equal((await fetch(`${service.origin}/s/${kept.id}`)).status, 404);
  const hosted = await visitor.call('POST /renders/:id/host', { id: kept.id });
  assert.equal(hosted.body.share_url, `http://tintype.test/i/${kept.id}`);
  const days = (Date.parse(hosted.body.expires_at ?? '') - service.clock.now()) / 86_400_000;
  assert.equal(Math.round(days), 30, 'as long as a new one on the plan');
  const page = await fetch(`${service.origin}/i/${kept.id}`, { headers: { accept: 'text/html' } });
  assert.match(await page.text(), /<title>Shared/);
  const file = await fetch(`${service.origin}/s/${kept.id}`);
  assert.deepEqual(Buffer.from(await file.arrayBuffer()), kept.bytes);
  assert.deepEqual((await visitor.call('POST /renders/:id/host', { id: kept.id })).body, hosted.body);
  assert.equal((await visitor.call('GET /usage')).body.units.render.used, 1);

  const { body: receipt } = await visitor.call('GET /renders/:id/receipt', { id: kept.id });
  assert.deepEqual([receipt.page.source, receipt.page.title, receipt.warnings], ['html', 'Shared', []]);

  const lost = await run();
  assert.equal(
    (await visitor.call('POST /renders/:id/host', { id: lost.id })).status,
    404,
    'nothing was kept',
  );
  const late = await run({ 'idempotency-key': 'two' });
  await service.clock.advance(86_400_000);
  assert.equal((await visitor.call('POST /renders/:id/host', { id: late.id })).status, 404, 'no longer kept');

  const refused = await visitor.call('POST /playground/render', { body: { ...body, quality: 3 } });
  assert.equal(refused.status, 422);
  assert.equal((refused.body.error as { field?: string }).field, 'quality', 'as version 2 says it');
});

test('secrets of a render of the playground cannot be guessed from what is stored for a repeat', async () => {
  const { accountId, ...visitor } = await signedInVisitor(service);
  const body = {
    html: '<p>Closed',
    base_url: 'https://example.com/',
    basic_auth: { username: 'a', password: 'b' },
  };
  for (const name of ['one', 'two']) {
    const headers = { 'idempotency-key': name };
    const sent = { ...body, format: 'text' };
    assert.equal((await visitor.raw('POST /playground/render', { body: sent, headers })).status, 200);
  }
  const rows = await service.database.connection
    .selectFrom('idempotency_keys')
    .select('fingerprint')
    .where('account_id', '=', accountId)
    .execute();
  assert.equal(rows.length, 2);
  assert.notEqual(rows[0]?.fingerprint, rows[1]?.fingerprint, 'keyed with what is not stored');
});
