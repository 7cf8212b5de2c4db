// The uploads page: paging, search, expiry, deletion, thumbnails; and the playground and renders page.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { newId, newSlug } from '#core/ids.ts';
import type { AnswerOf } from '#console/handlers.ts';
import type { UploadRow } from '#storage/schema.ts';
import { png, svg } from '#test/support/images.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { formOf } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { signedInVisitor, type CallOptions, type Visitor } from '#test/support/visitor.ts';

let service: TestService;
let site: PageServer;
before(async () => {
  site = await startPageServer({ '/': '<!doctype html><h1>Hello</h1>' });
  service = await startService({ EGRESS_ALLOW: site.host });
});
after(async () => {
  await service.stop();
  await site.close();
});

function uploadRow(accountId: string, change: Partial<UploadRow>): UploadRow {
  return {
    id: newId(),
    slug: newSlug(),
    account_id: accountId,
    key_id: null,
    filename: 'a.png',
    content_type: 'image/png',
    size_bytes: 100,
    width: 1,
    height: 1,
    sha256: '',
    delete_token_hash: '',
    created_at: service.clock.now(),
    expires_at: null,
    deleted_at: null,
    title: null,
    tags: '[]',
    metadata_removed: '[]',
    password_hash: null,
    views_left: null,
    views: 0,
    album_id: null,
    ...change,
  };
}

async function upload(visitor: Visitor, name = 'a.png', bytes?: Buffer) {
  const { status, body, headers } = await visitor.call('POST /uploads', {
    form: formOf([[bytes ?? (await png()), name]]),
  });
  assert.equal(status, 201);
  return { ...body, headers };
}

test('a thousand uploads, many from the same moment, appear on exactly one page each', async () => {
  const visitor = await signedInVisitor(service);
  const now = service.clock.now();
  const rows = Array.from({ length: 1_000 }, (_, index) =>
    uploadRow(visitor.accountId, { created_at: now - Math.floor(index / 150) }),
  );
  await service.database.transaction(async ({ uploads }) => {
    for (const row of rows) await uploads.insert(row);
  });
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const query: CallOptions['query'] = { limit: '70', ...(cursor !== null && { cursor }) };
    const page: AnswerOf<'GET /uploads'> = (await visitor.call('GET /uploads', { query })).body;
    seen.push(...page.items.map(({ id }) => id));
    cursor = page.next_cursor;
  } while (cursor !== null);
  const expected = rows
    .toSorted((left, right) => right.created_at - left.created_at || (left.id < right.id ? 1 : -1))
    .map(({ id }) => id);
  assert.deepEqual(seen, expected);
});

test('search finds part of a name in any case and takes % and _ literally; filters by type and expiry', async () => {
  const visitor = await signedInVisitor(service);
  const now = service.clock.now();
  const add = (change: Partial<UploadRow>) =>
    service.database.tables.uploads.insert(uploadRow(visitor.accountId, change));
  await add({ filename: 'Holiday_01.png' });
  await add({ filename: 'holidayX01.gif', content_type: 'image/gif', expires_at: now + 86_400_000 });
  await add({ filename: '100%.svg', content_type: 'image/svg+xml', expires_at: now + 30 * 86_400_000 });
  await add({ filename: 'dead.png', expires_at: now - 1 });
  const find = async (query: Record<string, string>) =>
    (await visitor.call('GET /uploads', { query })).body.items.map(({ filename }) => filename).toSorted();

  assert.deepEqual(await find({}), ['100%.svg', 'Holiday_01.png', 'holidayX01.gif']);
  assert.deepEqual(await find({ search: 'HOLIDAY' }), ['Holiday_01.png', 'holidayX01.gif']);
  assert.deepEqual(await find({ search: 'y_0' }), ['Holiday_01.png']);
  assert.deepEqual(await find({ search: '%' }), ['100%.svg']);
  assert.deepEqual(await find({ type: 'svg' }), ['100%.svg']);
  assert.deepEqual(await find({ expiry: 'never' }), ['Holiday_01.png']);
  assert.deepEqual(await find({ expiry: 'some' }), ['100%.svg', 'holidayX01.gif']);
  assert.deepEqual(await find({ expiry: 'soon' }), ['holidayX01.gif']);
  const wrong = await visitor.call('GET /uploads', { query: { limit: '0' } });
  assert.match(wrong.body.error.message, /^limit: must be an integer from 1 to 200/);
  assert.equal((await visitor.call('GET /uploads', { query: { cursor: '../x' } })).status, 422);
});

test('an upload made in the dashboard is metered, has no key, and is deleted with its links', async () => {
  const visitor = await signedInVisitor(service, { plan: 'starter' });
  const made = await upload(visitor);
  assert.equal(made.headers.get('x-service-quota-remaining'), '9999');
  assert.equal(made.headers.get('x-service-ratelimit-limit'), '120');
  const { body } = await visitor.call('GET /uploads');
  assert.deepEqual(
    body.items.map(({ id, key_id }) => [id, key_id]),
    [[made.id, null]],
  );
  const link = service.origin + new URL(made.file_url).pathname;
  assert.equal((await fetch(link)).status, 200);
  const deleted = await visitor.call('DELETE /uploads/:id', { id: made.id });
  assert.deepEqual(deleted.body, { deleted: [made.id] });
  assert.equal((await fetch(link)).status, 404);
  assert.equal((await visitor.call('DELETE /uploads/:id', { id: made.id })).status, 404);
});

test('a deletion can be undone until its period is over; then the sweep deletes row and bytes', async () => {
  const visitor = await signedInVisitor(service);
  const ids: string[] = [];
  for (const name of ['back.png', 'late.png', 'now.png', 'final.png']) {
    const { body } = await visitor.call('POST /uploads', { form: formOf([[await png(), name]]) });
    ids.push(body.id);
    if (name !== 'final.png') continue;
    // Deleted by its delete URL: cannot be undone.
    const address = body.delete_url.replace(service.config.baseUrl, service.origin);
    assert.equal((await fetch(address, { method: 'POST' })).status, 200);
  }
  const [back, late, now, final] = ids as [string, string, string, string];
  await visitor.call('POST /uploads/delete', { body: { ids: [back, late, now] } });
  const listed = (await visitor.call('GET /uploads/deleted')).body.items;
  assert.deepEqual(listed.map(({ id }) => id).toSorted(), [back, late, now].toSorted());
  const rowsOf = () => service.database.tables.uploads.existing(ids);
  await service.clock.advance(60_000);
  assert.ok((await rowsOf()).has(late), 'the sweep leaves it alone');

  const restored = await visitor.call('POST /uploads/restore', { body: { ids: [back, final] } });
  assert.deepEqual(restored.body, { restored: [back] });
  assert.deepEqual((await visitor.call('POST /uploads/purge', { body: { ids: [now, back] } })).body, {
    deleted: [now],
  });
  assert.deepEqual([...(await rowsOf())].toSorted(), [back, late].toSorted());

  await service.clock.advance(7 * 86_400_000 + 1);
  assert.deepEqual([...(await rowsOf())], [back], 'its time is over');
  assert.equal((await visitor.call('POST /uploads/restore', { body: { ids: [late] } })).status, 404);
  await service.clock.advance(-7 * 86_400_000 - 1);
});

test('many are deleted at once; unknown ids are ignored', async () => {
  const visitor = await signedInVisitor(service);
  const ids = [(await upload(visitor)).id, (await upload(visitor)).id];
  const { body } = await visitor.call('POST /uploads/delete', { body: { ids: [...ids, 'nothing'] } });
  assert.deepEqual(body.deleted.toSorted(), ids.toSorted());
});

test('the expiry can change within the limit of the plan, counted from the upload', async () => {
  const day = 86_400;
  const free = await signedInVisitor(service, { plan: 'free' });
  const paid = await signedInVisitor(service, { plan: 'starter' });
  const inDays = (expiresAt: string | null) =>
    expiresAt === null ? null : Math.round((Date.parse(expiresAt) - service.clock.now()) / (day * 1000));
  const change = async (visitor: Visitor, id: string, expiresIn: number | null) =>
    inDays(
      (await visitor.call('PATCH /uploads/:id', { id, body: { expires_in: expiresIn } })).body.expires_at,
    );
  const [ofFree, ofPaid] = [(await upload(free)).id, (await upload(paid)).id];
  await service.clock.advance(10 * day * 1000);
  assert.deepEqual(
    [
      await change(free, ofFree, 5 * day),
      await change(free, ofFree, 300 * day),
      await change(free, ofFree, null),
    ],
    [5, 20, 20],
  );
  assert.deepEqual([await change(paid, ofPaid, 300 * day), await change(paid, ofPaid, null)], [300, null]);
  const wrong = await paid.call('PATCH /uploads/:id', { id: ofPaid, body: { expires_in: 59 } });
  assert.match(wrong.body.error.message, /^expires_in: must be an integer from 60 to 31536000/);
});

test('a large picture has a thumbnail; an SVG is shown unchanged', async () => {
  const visitor = await signedInVisitor(service);
  const noise = await sharp({
    create: {
      width: 900,
      height: 600,
      channels: 3,
      background: '#fff',
      noise: { type: 'gaussian', mean: 120, sigma: 60 },
    },
  })
    .png()
    .toBuffer();
  const large = await upload(visitor, 'large.png', noise);
  const response = await visitor.raw('GET /uploads/:id/thumbnail', { id: large.id });
  const { width, height, format } = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
  assert.deepEqual([format, width, height], ['webp', 384, 256]);
  const vector = await upload(visitor, 'a.svg', svg());
  const redirected = await visitor.raw('GET /uploads/:id/thumbnail', { id: vector.id });
  assert.deepEqual([redirected.status, redirected.headers.get('location')], [302, `/f/${vector.slug}`]);
});

test('uploads are sorted and counted; several can change their expiry or be downloaded as one zip', async () => {
  const visitor = await signedInVisitor(service, { plan: 'free' });
  const sizes = [300, 100, 200];
  for (const [index, size] of sizes.entries())
    await upload(visitor, `${'bca'[index]}.png`, Buffer.concat([await png(), Buffer.alloc(size)]));
  const sorted = async (sort: string): Promise<string> => {
    let found = '';
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const query = { sort, limit: '1', ...(cursor !== undefined && { cursor }) };
      const { body } = await visitor.call('GET /uploads', { query });
      found += body.items.map(({ filename }) => filename[0]).join('');
      cursor = body.next_cursor;
    }
    return found;
  };
  assert.deepEqual(await Promise.all(['newest', 'oldest', 'largest', 'smallest', 'name'].map(sorted)), [
    'acb',
    'bca',
    'bac',
    'cab',
    'abc',
  ]);
  const { body: page } = await visitor.call('GET /uploads');
  const totals = await visitor.call('GET /uploads/totals');
  const bytes = page.items.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  assert.deepEqual(totals.body, { files: 3, bytes, is_more: false });
  const fitting = await visitor.call('GET /uploads/totals', { query: { search: 'a.' } });
  assert.equal(fitting.body.files, 1);

  const ids = page.items.slice(0, 2).map(({ id }) => id);
  const changed = await visitor.call('POST /uploads/expiry', {
    body: { ids: [...ids, 'nothing'], expires_in: null },
  });
  assert.deepEqual(
    changed.body.changed.toSorted((a, b) => a.localeCompare(b)),
    ids.toSorted((a, b) => a.localeCompare(b)),
  );
  const after = (await visitor.call('GET /uploads')).body.items;
  // On this plan a link expires at most thirty days after its upload.
  assert.equal(Date.parse(after[0]!.expires_at!) - Date.parse(after[0]!.created_at), 30 * 86_400_000);

  const zip = await visitor.raw('GET /uploads/zip', { query: { ids: ids.join(',') } });
  assert.deepEqual([zip.status, zip.headers.get('content-type')], [200, 'application/zip']);
  const many = await visitor.call('GET /uploads/zip', {
    query: { ids: Array.from({ length: 101 }, () => 'x').join(',') },
  });
  assert.deepEqual(
    [many.status, many.body.error.message],
    [422, 'ids: at most 100 files go into one archive'],
  );
});

test('the playground runs for the signed-in account; the renders page lists, filters and deletes', async () => {
  const visitor = await signedInVisitor(service);
  const url = `${site.base}/`;
  const picture = await visitor.raw('POST /playground/screenshot', { body: { url } });
  assert.deepEqual([picture.status, picture.headers.get('content-type')], [200, 'image/png']);
  assert.equal(picture.headers.get('x-service-quota-remaining'), '99999');
  assert.match(picture.headers.get('server-timing') ?? '', /navigate/);
  const printed = await visitor.raw('POST /playground/pdf', { body: { url, response: 'json' } });
  const pdf = (await printed.json()) as { id: string; url: string };
  const refused = await visitor.call('POST /playground/pdf', { body: { url, scale: 9 } });
  assert.match(refused.body.error.message, /^scale: /);

  const { body } = await visitor.call('GET /renders');
  assert.deepEqual(
    body.items.map(({ kind, status, url: link, key_id }) => [kind, status, link, key_id]),
    [
      ['pdf', 'done', pdf.url, null],
      ['screenshot', 'done', null, null],
    ],
  );
  const filtered = await visitor.call('GET /renders', { query: { kind: 'screenshot' } });
  assert.equal(filtered.body.items.length, 1);
  const link = service.origin + new URL(pdf.url).pathname;
  assert.equal((await fetch(link)).status, 200);
  assert.deepEqual((await visitor.call('DELETE /renders/:id', { id: pdf.id })).body, { deleted: [pdf.id] });
  assert.equal((await fetch(link)).status, 404);
});
