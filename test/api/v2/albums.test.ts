// /api/v2/albums over HTTP: making, listing, reading, changing and deleting, the album of an upload, repeats, scopes and limits. Spec 10.12.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId, newSlug } from '#core/ids.ts';
import type { Album } from '#api/v2/album-schemas.ts';
import type { Upload } from '#api/v2/upload-schemas.ts';
import { callsOf, type Call, type Failure, type List } from '#test/support/calls-v2.ts';
import { png } from '#test/support/images.ts';
import { formOf } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { databaseEngines } from '#test/storage/engines.ts';
import { uploadRow } from '#test/storage/rows.ts';

let service: TestService;
let call: Call;
let bytes: Buffer;
before(async () => {
  service = await startService({
    PLANS_FILE: new URL('../../fixtures/plans.json', import.meta.url).pathname,
  });
  call = callsOf(service.origin, (await service.newKey()).key);
  bytes = await png();
});
after(() => service.stop());

async function make(body: object = {}, as = call): Promise<Album> {
  const made = await as<Album>('POST', '/albums', { body });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.body;
}
const put = <T = Upload>(album: string, as = call) =>
  as<T>('POST', '/uploads', { body: formOf([[bytes, 'a.png']], { album }) });

test('10.12 201: the nine fields, and the same again from GET; its uploads count, and the first is the cover', async () => {
  const made = await make({ title: ' At\u200b  the sea ', description: ' one \r\n two ', expires_in: 3600 });
  const { id, slug, created_at, expires_at, ...rest } = made;
  assert.deepEqual(rest, {
    url: `http://tintype.test/a/${slug}`,
    title: 'At the sea',
    description: 'one\ntwo',
    count: 0,
    cover_url: null,
  });
  assert.equal(Date.parse(expires_at!) - Date.parse(created_at), 3_600_000);
  const first = (await put(id)).body;
  const second = (await put(id)).body;
  assert.deepEqual([first.album, second.album], [id, id]);
  const read = await call<Album>('GET', `/albums/${id}`);
  assert.deepEqual([read.status, read.body], [200, { ...made, count: 2, cover_url: first.file_url }]);
  assert.equal(read.headers.get('cache-control'), 'no-store');
  // A deleted upload is not counted, and one that asks for a password is no cover.
  await call('DELETE', `/uploads/${first.id}`);
  assert.equal((await call<Album>('GET', `/albums/${id}`)).body.cover_url, second.file_url);
  await call('PATCH', `/uploads/${second.id}`, { body: { password: 'secret' } });
  const { count, cover_url } = (await call<Album>('GET', `/albums/${id}`)).body;
  assert.deepEqual([count, cover_url], [1, null]);
  await call('POST', `/uploads/${first.id}/restore`);
  assert.equal((await call<Album>('GET', `/albums/${id}`)).body.count, 2);
});

test('10.12 an upload moves between albums, and the list has those of one', async () => {
  const [one, other] = [await make({ title: 'one' }), await make({ title: 'other' })];
  const { id } = (await put(one.id)).body;
  const idsIn = async (album: string) =>
    (await call<List<Upload>>('GET', `/uploads?album=${album}`)).body.items.map((upload) => upload.id);
  assert.deepEqual([await idsIn(one.id), await idsIn(other.id)], [[id], []]);
  const moved = await call<Upload>('PATCH', `/uploads/${id}`, { body: { album: other.id } });
  assert.deepEqual([moved.status, moved.body.album], [200, other.id]);
  assert.deepEqual([await idsIn(one.id), await idsIn(other.id), await idsIn('x')], [[], [id], []]);
  assert.equal(
    (await call<Upload>('PATCH', `/uploads/${id}`, { body: { title: 'a' } })).body.album,
    other.id,
  );
  assert.equal((await call<Upload>('PATCH', `/uploads/${id}`, { body: { album: null } })).body.album, null);
});

test('10.12 PATCH changes what is given; DELETE ends the album and keeps its uploads', async () => {
  const album = await make({ title: 'a', description: 'b', expires_in: 60 });
  const upload = (await put(album.id)).body;
  const { body } = await call<Album>('PATCH', `/albums/${album.id}`, {
    body: { title: null, expires_in: null },
  });
  assert.deepEqual([body.title, body.description, body.expires_at, body.slug], [null, 'b', null, album.slug]);
  assert.deepEqual((await call('PATCH', `/albums/${album.id}`, { body: {} })).body, body);
  const gone = await call('DELETE', `/albums/${album.id}`);
  assert.deepEqual([gone.status, gone.body], [200, { id: album.id, deleted: true }]);
  for (const method of ['GET', 'DELETE'])
    assert.equal((await call(method, `/albums/${album.id}`)).status, 404);
  const left = (await call<Upload>('GET', `/uploads/${upload.id}`)).body;
  assert.equal(left.album, null);
});

test('10.12 the list is page by page, the newest first; an expired album is gone, its uploads stay', async () => {
  const as = callsOf(service.origin, (await service.newKey()).key);
  const titles: string[] = [];
  for (const title of ['a', 'b', 'c']) {
    await make({ title, ...(title === 'b' && { expires_in: 60 }) }, as);
    await service.clock.advance(1_000);
  }
  const kept = (await put((await as<List<Album>>('GET', '/albums')).body.items[1]!.id, as)).body;
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: List<Album> = (
      await as<List<Album>>('GET', `/albums?limit=1${cursor && `&cursor=${cursor}`}`)
    ).body;
    titles.push(...page.items.map(({ title }) => title ?? ''));
    cursor = page.next_cursor;
  }
  assert.deepEqual(titles, ['c', 'b', 'a']);
  await service.clock.advance(61_000);
  const items = (await as<List<Album>>('GET', '/albums')).body.items;
  assert.deepEqual(
    items.map(({ title }) => title),
    ['c', 'a'],
  );
  const { body } = await put<Failure>(kept.album!, as);
  assert.equal(body.error.field, 'album');
  assert.equal((await as('GET', `/uploads/${kept.id}`)).status, 200);
});

test('10.12 422 names the field', async () => {
  const cases: [method: string, path: string, body: object, field: string][] = [
    ['POST', '/albums', { title: '' }, 'title'],
    ['POST', '/albums', { title: 'a'.repeat(201) }, 'title'],
    ['POST', '/albums', { title: '\u200b' }, 'title'],
    ['POST', '/albums', { title: null }, 'title'],
    ['POST', '/albums', { description: 'a'.repeat(2001) }, 'description'],
    ['POST', '/albums', { description: ' \n ' }, 'description'],
    ['POST', '/albums', { expires_in: 59 }, 'expires_in'],
    ['POST', '/albums', { name: 'a' }, 'name'],
    ['PATCH', `/albums/${(await make()).id}`, { slug: 'a' }, 'slug'],
    ['PATCH', `/albums/${(await make()).id}`, { expires_in: '60' }, 'expires_in'],
    ['GET', '/albums?limit=101', {}, 'limit'],
    ['GET', '/albums?cursor=x', {}, 'cursor'],
  ];
  for (const [method, path, body, field] of cases) {
    const given = method === 'GET' ? {} : { body };
    const { status, body: answered } = await call<Failure>(method, path, given);
    assert.deepEqual([status, answered.error.field], [422, field], JSON.stringify(body));
  }
});

test('10.12 albums of another account, and those that never were, do not exist; nothing is stored', async () => {
  const stranger = callsOf(service.origin, (await service.newKey()).key);
  const { id } = await make();
  for (const [method, body] of [['GET'], ['PATCH', { title: 'a' }], ['DELETE']] as const)
    assert.equal((await stranger(method, `/albums/${id}`, body && { body })).status, 404);
  for (const album of [id, newId(), "'", 'x'.repeat(40)]) {
    const { status, body } = await put<Failure>(album, stranger);
    assert.deepEqual([status, body.error.field], [422, 'album'], JSON.stringify(body));
  }
  const list = await stranger<List<Upload>>('GET', `/uploads?album=${id}`);
  assert.deepEqual(list.body.items, []);
  assert.deepEqual((await stranger<List<Upload>>('GET', '/uploads')).body.items, []);
  const own = (await stranger<Upload>('POST', '/uploads', { body: formOf([[bytes, 'a.png']]) })).body;
  const moved = await stranger<Failure>('PATCH', `/uploads/${own.id}`, { body: { album: id } });
  assert.deepEqual([moved.status, moved.body.error.field], [422, 'album']);
  assert.equal((await stranger<Upload>('GET', `/uploads/${own.id}`)).body.album, null);
});

test('10.12 a repeat with the same Idempotency-Key makes one album; keys for renders may not', async () => {
  const headers = { 'idempotency-key': 'album-1' };
  const first = await call<Album>('POST', '/albums', { body: { title: 'a' }, headers });
  const again = await call<Album>('POST', '/albums', { body: { title: 'a' }, headers });
  assert.deepEqual([again.status, again.body], [201, first.body]);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  const other = await call<Failure>('POST', '/albums', { body: { title: 'b' }, headers });
  assert.equal(other.body.error.field, 'Idempotency-Key');
  const { email } = await service.newKey();
  const { key } = await service.accounts.createKey(email, 'renders', { scope: 'renders' });
  for (const path of ['/albums', '/upload_links'])
    assert.equal((await callsOf(service.origin, key)('GET', path)).status, 403);
});

for (const engine of databaseEngines) {
  test(`many uploads into an album with two places left, while it is deleted in the end: ${engine.name}`, async () => {
    const place = await engine.newPlace();
    const other = await startService(place.environment);
    try {
      const { key, accountId } = await other.newKey();
      const as = callsOf(other.origin, key);
      const nearlyFull = async () => {
        const { id: album } = await make({}, as);
        const rows = Array.from({ length: 998 }, () =>
          uploadRow(accountId, { slug: newSlug(), album_id: album }),
        );
        for (let from = 0; from < rows.length; from += 200)
          await other.database.tables.uploads.insert(...rows.slice(from, from + 200));
        return album;
      };
      const id = await nearlyFull();
      const answers = await Promise.all(Array.from({ length: 12 }, () => put<Upload & Failure>(id, as)));
      assert.deepEqual(
        answers.map(({ status }) => status).toSorted((a, b) => a - b),
        [201, 201, ...Array<number>(10).fill(422)],
      );
      assert.ok(answers.every(({ status, body }) => status === 201 || body.error.field === 'album'));
      assert.equal((await as<Album>('GET', `/albums/${id}`)).body.count, 1000);
      const target = await nearlyFull();
      const loose = Array.from({ length: 12 }, () => uploadRow(accountId, { slug: newSlug() }));
      await other.database.tables.uploads.insert(...loose);
      const moves = await Promise.all(
        loose.map((row) => as('PATCH', `/uploads/${row.id}`, { body: { album: target } })),
      );
      assert.equal(moves.filter(({ status }) => status === 200).length, 2);
      // Whatever comes first, nothing stays in an album that is gone.
      const { id: brief } = await make({}, as);
      const [deleted, ...stored] = await Promise.all([
        as('DELETE', `/albums/${brief}`),
        ...Array.from({ length: 6 }, () => put<Upload & Failure>(brief, as)),
      ]);
      assert.equal(deleted.status, 200);
      for (const { status, body } of stored) {
        if (status === 422) assert.equal(body.error.field, 'album');
        else assert.equal((await as<Upload>('GET', `/uploads/${body.id}`)).body.album, null);
      }
    } finally {
      await other.stop();
      await place.remove();
    }
  });
}

test('10.12 a JSON body that is too large as a whole is a 413, whatever it asks for', async () => {
  const { id } = await make();
  const upload = (await put(id)).body;
  const body = { title: 'x'.repeat(70_000) };
  for (const [method, path] of [
    ['POST', '/albums'],
    ['PATCH', `/albums/${id}`],
    ['POST', '/upload_links'],
    ['POST', '/uploads'],
    ['PATCH', `/uploads/${upload.id}`],
    ['POST', '/links'],
  ] as const) {
    const refused = await call<Failure>(method, path, { body });
    const { code, field, retryable } = refused.body.error;
    assert.deepEqual(
      [refused.status, code, field, retryable],
      [413, 'request_too_large', 'body', false],
      `${method} ${path}`,
    );
  }
});
