// /api/v2/uploads and /api/v2/usage over HTTP: storing, listing, reading, changing, deleting, restoring, repeats and scopes. Spec 10.8.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import type { Upload, Usage } from '#api/v2/upload-schemas.ts';
import { pngOfSize, png, svg } from '#test/support/images.ts';
import { bearer, type Answer } from '#test/support/requests.ts';
import { uploadRow } from '#test/storage/rows.ts';
import { startService, type TestService } from '#test/support/service.ts';

let service: TestService;
let key: string;
let photo: Buffer;
before(async () => {
  service = await startService({
    PLANS_FILE: new URL('../../fixtures/plans.json', import.meta.url).pathname,
  });
  ({ key } = await service.newKey());
  photo = await readFile(new URL('../../fixtures/metadata/photo.jpg', import.meta.url));
});
after(() => service.stop());

interface Failure {
  error: { code: string; message: string; field?: string; retryable: boolean; request_id: string };
}
interface List {
  items: Upload[];
  next_cursor: string | null;
}
type Fields = [name: string, value: string | Blob, filename?: string][];

async function call<T = Upload>(
  method: string,
  path: string,
  { body, headers = {}, as = key }: { body?: unknown; headers?: Record<string, string>; as?: string } = {},
): Promise<Answer<T>> {
  const isJson = body !== undefined && !(body instanceof FormData);
  const response = await fetch(`${service.origin}/api/v2${path}`, {
    method,
    headers: { ...bearer(as), ...(isJson && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: (text === '' ? undefined : JSON.parse(text)) as T,
  };
}

const blob = (bytes: Buffer): Blob => new Blob([new Uint8Array(bytes)]);
function formOf(fields: Fields): FormData {
  const form = new FormData();
  for (const [name, value, filename] of fields) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, value, filename ?? 'a.png');
  }
  return form;
}
const send = <T = Upload>(fields: Fields, options: { headers?: Record<string, string>; as?: string } = {}) =>
  call<T>('POST', '/uploads', { body: formOf(fields), ...options });
async function store(fields: Fields = [], as = key): Promise<Upload> {
  const { status, body } = await send([['file', blob(await png()), 'a.png'], ...fields], { as });
  assert.equal(status, 201, JSON.stringify(body));
  return body;
}
const bytesOf = (url: string): Promise<Response> => fetch(url.replace('http://tintype.test', service.origin));

test('10.8 201: the nine fields of version 1 and eleven more, without metadata, and the same again from GET', async () => {
  const { status, headers, body } = await send([
    ['file', blob(photo), 'IMG_1.jpg'],
    ['title', '  A   day\u200b out '],
    ['tags', 'holiday'],
    ['tags', 'São Paulo'],
    ['tags', 'holiday '],
    ['filename', '../day.png'],
    ['expires_in', '3600'],
  ]);
  assert.equal(status, 201);
  assert.match(headers.get('x-service-quota-remaining') ?? '', /^\d+$/);
  const { id, slug, delete_url, expires_at, created_at, size_bytes, sha256, width, height, ...rest } = body;
  assert.deepEqual(rest, {
    url: `http://tintype.test/i/${slug}`,
    file_url: `http://tintype.test/f/${slug}`,
    content_type: 'image/jpeg',
    filename: 'day.jpg',
    title: 'A day out',
    tags: ['holiday', 'São Paulo'],
    album: null,
    metadata_removed: ['gps', 'camera', 'time', 'author', 'thumbnail', 'text'],
    has_password: false,
    max_views: null,
    views: 0,
  });
  assert.ok(Math.abs(Date.parse(created_at) - service.clock.now()) < 60_000);
  assert.match(delete_url ?? '', /\/api\/uploads\/\w{20}\/delete\?token=[\w-]+$/);
  assert.ok(Math.abs(Date.parse(expires_at ?? '') - service.clock.now() - 3_600_000) < 60_000);
  assert.ok(width !== null && width > 0 && height !== null && height > 0);
  assert.ok(size_bytes < photo.length);
  assert.equal(Buffer.from(await (await bytesOf(body.file_url)).arrayBuffer()).length, size_bytes);
  const read = await call('GET', `/uploads/${id}`);
  assert.deepEqual([read.status, read.body], [200, { ...body, delete_url: null }]);
  assert.equal(read.headers.get('cache-control'), 'no-store');
  assert.match(sha256, /^[0-9a-f]{64}$/);
});

test('10.8 strip_metadata false stores the bytes as they were sent, and an SVG has none to remove', async () => {
  const { body } = await send([
    ['file', blob(photo), 'photo.jpg'],
    ['strip_metadata', 'false'],
  ]);
  assert.deepEqual([body.metadata_removed, body.size_bytes], [[], photo.length]);
  assert.deepEqual(Buffer.from(await (await bytesOf(body.file_url)).arrayBuffer()), photo);
  const drawn = await send([['file', blob(svg()), 'a.svg']]);
  assert.deepEqual([drawn.body.content_type, drawn.body.metadata_removed], ['image/svg+xml', []]);
});

describe('10.8 forms that are refused', () => {
  const file: Fields[0] = ['file', new Blob(['x']), 'a.png'];
  const tags = (count: number): Fields =>
    Array.from({ length: count }, (_, index) => ['tags', `t${index}`] as const).map(([name, value]) => [
      name,
      value,
    ]);
  const cases: [name: string, Fields, field: string, RegExp][] = [
    ['no file', [['title', 'a']], 'file', /missing/],
    ['two files', [file, file], 'file', /more than one/],
    ['a file as text', [['file', 'x']], 'file', /as a file/],
    ['a field as a file', [file, ['title', new Blob(['x']), 'a.txt']], 'title', /as a text/],
    ['an unknown field', [file, ['colour', 'x']], 'colour', /unknown field/],
    ['a misspelt field', [file, ['tag', 'x']], 'tag', /did you mean "tags"/],
    ['a field twice', [file, ['title', 'a'], ['title', 'b']], 'title', /more than once/],
    ['a long title', [file, ['title', 'a'.repeat(201)]], 'title', /1 to 200 characters/],
    ['a very long title', [file, ['title', 'a'.repeat(5_000)]], 'title', /longer than/],
    ['an invisible title', [file, ['title', '\u200b ']], 'title', /no visible/],
    ['too many tags', [file, ...tags(21)], 'tags', /0 to 20/],
    ['a long tag', [file, ['tags', 'a'.repeat(41)]], 'tags[0]', /1 to 40/],
    ['an empty tag', [file, ['tags', 'a'], ['tags', ' ']], 'tags[1]', /no visible/],
    ['a flag that is none', [file, ['strip_metadata', '1']], 'strip_metadata', /true or false/],
    ['an expiry out of range', [file, ['expires_in', '5']], 'expires_in', /from 60 to/],
    ['an expiry that is no number', [file, ['expires_in', '1e3']], 'expires_in', /from 60 to/],
  ];
  for (const [name, fields, field, message] of cases)
    test(name, async () => {
      const { status, body } = await send<Failure>(fields);
      assert.deepEqual([status, body.error.code, body.error.field], [422, 'validation_error', field]);
      assert.match(body.error.message, message);
      assert.equal(body.error.retryable, false);
    });

  test('a body that is no form', async () => {
    const { status, body } = await call<Failure>('POST', '/uploads', {
      body: {},
      headers: { 'content-type': 'image/png' },
    });
    assert.deepEqual([status, body.error.field], [422, 'body']);
    assert.match(body.error.message, /a part named "file", or application\/json with url, not "image\/png"/);
  });

  test('413 and 415 name the file', async () => {
    const large = await send<Failure>([['file', blob(await pngOfSize(10 * 1024 * 1024 + 1)), 'a.png']]);
    assert.deepEqual(
      [large.status, large.body.error.code, large.body.error.field],
      [413, 'file_too_large', 'file'],
    );
    const text = await send<Failure>([['file', new Blob(['hello']), 'a.png']]);
    assert.deepEqual(
      [text.status, text.body.error.code, text.body.error.field],
      [415, 'unsupported_type', 'file'],
    );
  });
});

test('10.8 a repeat with the same Idempotency-Key replays the upload; with another title it is refused', async () => {
  const headers = { 'idempotency-key': 'once' };
  const fields: Fields = [
    ['file', blob(await png()), 'a.png'],
    ['title', 'first'],
  ];
  const first = await send(fields, { headers });
  const again = await send(fields, { headers });
  assert.deepEqual([again.status, again.body], [201, first.body]);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  const other = await send<Failure>([fields[0]!, ['title', 'second']], { headers });
  assert.deepEqual([other.status, other.body.error.field], [422, 'Idempotency-Key']);
});

test('10.8 the quota is used up: 402, and nothing is stored', async () => {
  const { key: as } = await service.newKey({ plan: 'no-uploads' });
  const { status, body } = await send<Failure>([['file', blob(await png()), 'a.png']], { as });
  assert.deepEqual([status, body.error.code], [402, 'quota_exceeded']);
  assert.deepEqual((await call<List>('GET', '/uploads', { as })).body, { items: [], next_cursor: null });
});

test('10.8 the list: newest first, page by page, by text, by tag', async () => {
  const { key: as } = await service.newKey();
  const stored: Upload[] = [];
  for (const [title, tag] of [
    ['Red 50%', 'a'],
    ['Green', 'b'],
    ['blue', 'a'],
  ] as const) {
    stored.push(await store([['title', title], ['tags', tag], ['tags', 'all'], ['filename', `${tag}.png`]], as)); // prettier-ignore
    await service.clock.advance(1_000);
  }
  const list = async (query: string) => (await call<List>('GET', `/uploads${query}`, { as })).body;
  const titles = async (query: string) => (await list(query)).items.map(({ title }) => title);
  const whole = await list('');
  assert.deepEqual(
    whole.items,
    stored.toReversed().map((upload) => ({ ...upload, delete_url: null })),
  );
  assert.equal(whole.next_cursor, null);
  const first = await list('?limit=2&tag=all');
  assert.deepEqual(
    first.items.map(({ title }) => title),
    ['blue', 'Green'],
  );
  assert.deepEqual(await titles(`?limit=2&tag=all&cursor=${first.next_cursor}`), ['Red 50%']);
  assert.deepEqual(await titles('?tag=a'), ['blue', 'Red 50%']);
  assert.deepEqual(await titles('?tag=A'), []);
  assert.deepEqual(await titles('?search=GREEN'), ['Green']);
  assert.deepEqual(await titles('?search=b.png'), ['Green']);
  assert.deepEqual(await titles('?search=0%25'), ['Red 50%']);
  assert.deepEqual(await titles('?tag=a&search=blu'), ['blue']);
  for (const query of ['limit=0', 'limit=101', 'cursor=x', 'order=a', 'tag=', 'search=%00']) {
    const { status, body } = await call<Failure>('GET', `/uploads?${query}`, { as });
    assert.deepEqual([status, body.error.code], [422, 'validation_error'], query);
  }
});

test('10.8 a page of a search may be empty while next_cursor leads to older uploads that fit', async () => {
  const { key: as, accountId } = await service.newKey();
  const old = await store([['title', 'needle'], ['tags', 'rare']], as); // prettier-ignore
  await service.clock.advance(1_000);
  const other = { filename: 'other.png', created_at: service.clock.now() };
  for (let stored = 0; stored < 20_000; stored += 1_000) {
    const rows = Array.from({ length: 1_000 }, () => uploadRow(accountId, other));
    await service.database.tables.uploads.insert(...rows);
  }
  for (const query of ['search=needle', 'tag=rare']) {
    const first = (await call<List>('GET', `/uploads?${query}`, { as })).body;
    assert.deepEqual(first.items, []);
    const cursor = `&cursor=${String(first.next_cursor)}`;
    const second = (await call<List>('GET', `/uploads?${query}${cursor}`, { as })).body;
    assert.deepEqual([second.items.map(({ id }) => id), second.next_cursor], [[old.id], null]);
  }
});

test('10.8 PATCH changes what it names and nothing else', async () => {
  const before = await store([['title', 'old'], ['tags', 'old'], ['expires_in', '600']]); // prettier-ignore
  const path = `/uploads/${before.id}`;
  const shown = { ...before, delete_url: null };
  const same = await call('PATCH', path, { body: {} });
  assert.deepEqual([same.status, same.body], [200, shown]);
  const changed = await call('PATCH', path, { body: { tags: ['new', 'new'], filename: 'b.exe' } });
  assert.deepEqual(changed.body, { ...shown, tags: ['new'], filename: 'b.png' });
  const found = async (tag: string) => (await call<List>('GET', `/uploads?tag=${tag}`)).body.items.length;
  assert.deepEqual([await found('old'), await found('new')], [0, 1]);
  const cleared = await call('PATCH', path, { body: { title: null, tags: [], expires_in: null } });
  assert.deepEqual(cleared.body, { ...changed.body, title: null, tags: [], expires_at: null });
  assert.deepEqual((await call('GET', path)).body, cleared.body);
  assert.equal(await found('new'), 0);
  for (const [body, field, message] of [
    [{ title: '' }, 'title', /a string of 1 to 200 characters, or null, not ""$/],
    [{ title: 7 }, 'title', /a string of 1 to 200 characters, or null, not 7$/],
    [{ album: 7 }, 'album', /a string of 1 to 40 characters, or null, not 7$/],
    [{ tags: 'a' }, 'tags', /an array of 0 to 20 items/],
    [{ tags: ['\u200b'] }, 'tags[0]', /no visible/],
    [{ expires_in: 1 }, 'expires_in', /an integer from 60 to 31536000, or null for never, not 1$/],
    [{ filename: null }, 'filename', /a string of/],
    [{ strip_metadata: true }, 'strip_metadata', /unknown field/],
  ] as const) {
    const refused = await call<Failure>('PATCH', path, { body });
    assert.deepEqual([refused.status, refused.body.error.field], [422, field], JSON.stringify(body));
    assert.match(refused.body.error.message, message);
  }
  assert.deepEqual((await call('GET', path)).body, cleared.body);
});

test('10.8 DELETE ends the link at once; restore brings it back with its tags, for seven days', async () => {
  const upload = await store([['tags', 'kept']]);
  const path = `/uploads/${upload.id}`;
  const early = await call<Failure>('POST', `${path}/restore`);
  assert.deepEqual([early.status, early.body.error.code], [404, 'not_found']);
  const deleted = await call<object>('DELETE', path);
  assert.deepEqual([deleted.status, deleted.body], [200, { id: upload.id, deleted: true }]);
  assert.equal((await bytesOf(upload.file_url)).status, 404);
  assert.equal((await call('GET', path)).status, 404);
  assert.equal((await call('PATCH', path, { body: { title: 'x' } })).status, 404);
  assert.equal((await call('DELETE', path)).status, 404);
  assert.deepEqual((await call<List>('GET', '/uploads?tag=kept')).body.items, []);
  const restored = await call('POST', `${path}/restore`);
  assert.deepEqual([restored.status, restored.body], [200, { ...upload, delete_url: null }]);
  assert.equal((await bytesOf(upload.file_url)).status, 200);
  assert.equal((await call<List>('GET', '/uploads?tag=kept')).body.items.length, 1);
  await call('DELETE', path);
  await service.clock.advance(7 * 24 * 60 * 60 * 1000);
  assert.equal((await call('POST', `${path}/restore`)).status, 404);
});

test('10.8 the uploads of another account are not there, and neither is what is no id', async () => {
  const { id } = await store();
  const { key: as } = await service.newKey();
  for (const path of [`/uploads/${id}`, '/uploads/x', '/uploads/%00'])
    for (const [method, body] of [['GET'], ['PATCH', { title: 'x' }], ['DELETE']] as const)
      assert.equal((await call(method, path, { body, as })).status, 404, `${method} ${path}`);
  await call('DELETE', `/uploads/${id}`);
  assert.equal((await call('POST', `/uploads/${id}/restore`, { as })).status, 404);
  assert.equal((await call('POST', `/uploads/${id}/restore`)).status, 200);
});

test('10.9 usage: units, requests and renders of the account', async () => {
  const { key: as } = await service.newKey({ plan: 'two-uploads' });
  await store([], as);
  const { status, headers, body } = await call<Usage>('GET', '/usage', { as });
  assert.equal(status, 200);
  const { month, resets_at, requests, ...rest } = body;
  assert.match(month, /^\d{4}-\d\d$/);
  assert.match(resets_at, /^\d{4}-\d\d-01T00:00:00.000Z$/);
  assert.deepEqual(rest, {
    upload: { used: 1, limit: 2, percent: 50, overage: 0 },
    render: { used: 0, limit: 2, percent: 0, overage: 0 },
    renders: { running: 0, queued: 0, cap: 2 },
  });
  assert.deepEqual([requests.limit, requests.remaining], [1000, 998]);
  assert.equal(String(requests.reset), headers.get('x-service-ratelimit-reset'));
});

test('10.8 a key for renders only gets a 403 for uploads, and may read the usage', async () => {
  const { email } = await service.newKey();
  const { key: as } = await service.accounts.createKey(email, 'renders', { scope: 'renders' });
  for (const [method, path] of [
    ['POST', '/uploads'],
    ['GET', '/uploads'],
    ['GET', '/uploads/x'],
    ['PATCH', '/uploads/x'],
    ['DELETE', '/uploads/x'],
    ['POST', '/uploads/x/restore'],
  ] as const) {
    const { status, body } = await call<Failure>(method, path, { as });
    assert.deepEqual([status, body.error.code], [403, 'forbidden'], `${method} ${path}`);
  }
  assert.equal((await call('GET', '/usage', { as })).status, 200);
});
