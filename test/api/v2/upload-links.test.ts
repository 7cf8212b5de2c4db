// /api/v2/upload_links and POST /u/{token} over HTTP: who may send what, how often, and at whose expense. Spec 10.13.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { hashSecret } from '#core/ids.ts';
import type { UploadLink } from '#api/v2/album-schemas.ts';
import type { Upload, Usage } from '#api/v2/upload-schemas.ts';
import { filesPerMinute } from '#site/hosted/drop-page.ts';
import { booksOf } from '#test/support/books.ts';
import { callsOf, type Call, type Failure, type List } from '#test/support/calls-v2.ts';
import { png, pngOfSize, svg } from '#test/support/images.ts';
import { formOf, post, type Answer } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { databaseEngines } from '#test/storage/engines.ts';

const plansFile = new URL('../../fixtures/plans.json', import.meta.url).pathname;
let service: TestService;
let call: Call;
let bytes: Buffer;
before(async () => {
  service = await startService({ PLANS_FILE: plansFile, TRUST_PROXY: 'true' });
  call = callsOf(service.origin, (await service.newKey()).key);
  bytes = await png();
});
after(() => service.stop());

async function make(body: object = {}, as = call): Promise<UploadLink> {
  const made = await as<UploadLink>('POST', '/upload_links', { body });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.body;
}
const send = <T = Upload>(
  { token }: Pick<UploadLink, 'token'>,
  form = formOf([[bytes, 'a.png']]),
  { origin = service.origin, headers = {} }: { origin?: string; headers?: Record<string, string> } = {},
): Promise<Answer<T>> => post<T>(`${origin}/u/${token}`, { body: form, headers });
const read = async (id: string, as = call) => (await as<UploadLink>('GET', `/upload_links/${id}`)).body;

test('10.13 201: the link with its token, which is shown once and stored as a hash', async () => {
  const made = await make();
  const { id, url, token, created_at, expires_at, ...rest } = made;
  assert.deepEqual(rest, {
    title: null,
    album: null,
    max_files: 1,
    max_bytes: 10_485_760,
    used_files: 0,
    used_bytes: 0,
  });
  assert.equal(url, `http://tintype.test/u/${token}`);
  assert.match(token ?? '', /^[0-9A-Za-z]{43}$/);
  assert.equal(Date.parse(expires_at) - Date.parse(created_at), 3_600_000);
  assert.deepEqual(await read(id), { ...made, url: null, token: null });
  const row = await service.database.tables.uploadLinks.byTokenHash(hashSecret(token!));
  assert.ok(row?.id === id && !JSON.stringify(row).includes(token!));
  const list = (await call<List<UploadLink>>('GET', '/upload_links')).body;
  assert.deepEqual([list.items[0]?.id, list.items[0]?.token], [id, null]);
  assert.ok(!JSON.stringify(service.logLines()).includes(token!));
});

test('10.13 a file through a link: cleaned as in version 2, in the album, for the account and its quota', async () => {
  const album = (await call<{ id: string }>('POST', '/albums', { body: {} })).body.id;
  const link = await make({ album, max_files: 2, title: 'Guests' });
  const photo = await readFile(new URL('../../fixtures/metadata/photo.jpg', import.meta.url));
  const before = (await call<Usage>('GET', '/usage')).body.upload.used;
  const { status, headers, body } = await send(link, formOf([[photo, 'IMG_1.jpg']]));
  assert.equal(status, 201, JSON.stringify(body));
  assert.deepEqual(
    [body.album, body.filename, body.delete_url, body.metadata_removed.includes('gps')],
    [album, 'IMG_1.jpg', null, true],
  );
  assert.equal(headers.get('access-control-allow-origin'), '*');
  // Neither the quota nor the plan of the owner is shown to strangers.
  assert.ok(![...headers.keys()].some((name) => name.includes('quota')));
  assert.equal((await call<Usage>('GET', '/usage')).body.upload.used, before + 1);
  assert.deepEqual((await call<Upload>('GET', `/uploads/${body.id}`)).body, body);
  const { used_files, used_bytes } = await read(link.id);
  assert.deepEqual([used_files, used_bytes], [1, body.size_bytes]);
  const drawn = await send(link, formOf([[svg('<script>alert(1)</script><rect width="9"/>'), 'a.svg']]));
  const stored = await fetch(drawn.body.file_url.replace('http://tintype.test', service.origin));
  assert.ok(!(await stored.text()).includes('script'));
  const third = await send<Failure>(link);
  assert.deepEqual([third.status, third.body.error.code], [404, 'not_found']);
  assert.match(third.body.error.message, /its 2 files/);
});

test('10.13 what is refused costs nothing: size, type, fields, forms; the envelope is that of version 2', async () => {
  const link = await make({ max_bytes: 2_000 });
  const cases: [name: string, form: FormData, status: number, field: string][] = [
    ['too large for the link', formOf([[await pngOfSize(2_001), 'a.png']]), 413, 'file'],
    ['no picture', formOf([[Buffer.from('hello'), 'a.png']]), 415, 'file'],
    ['a field', formOf([[bytes, 'a.png']], { title: 'x' }), 422, 'title'],
    ['two files', formOf([[bytes, 'a.png'], [bytes, 'b.png']]), 422, 'file'], // prettier-ignore
    ['no file', new FormData(), 422, 'file'],
  ];
  for (const [name, form, status, field] of cases) {
    const { status: answered, body } = await send<Failure>(link, form);
    assert.deepEqual([answered, body.error.field, body.error.retryable], [status, field, false], name);
  }
  assert.equal((await read(link.id)).used_files, 0);
  assert.equal((await send(link, formOf([[await pngOfSize(2_000), 'a.png']]))).status, 201);
});

test('10.13 expired, deleted, unknown, of a suspended account: all the same 404; the last file is the last', async () => {
  const { key, email } = await service.newKey();
  const as = callsOf(service.origin, key);
  const [brief, ended, suspended] = [
    await make({ expires_in: 60 }, as),
    await make({}, as),
    await make({}, as),
  ];
  assert.deepEqual((await as('DELETE', `/upload_links/${ended.id}`)).body, { id: ended.id, deleted: true });
  assert.equal((await as('DELETE', `/upload_links/${ended.id}`)).status, 404);
  await service.clock.advance(61_000);
  await service.accounts.update(email, { suspended: true });
  const texts: string[] = [];
  for (const link of [brief, ended, suspended, { token: 'x'.repeat(43) }, { token: '%00' }]) {
    const { status, body } = await send<Failure>(link);
    assert.equal(status, 404);
    texts.push(body.error.message);
    assert.equal((await fetch(`${service.origin}/u/${link.token}`)).status, 404);
  }
  assert.equal(new Set(texts).size, 1);
  await service.accounts.update(email, { suspended: false });
  assert.equal((await as('GET', `/upload_links/${brief.id}`)).status, 404);
  assert.equal((await send(suspended)).status, 201);
  assert.equal((await send(suspended)).status, 404);
  await service.database.tables.uploadLinks.purgeExpired(service.clock.now(), 10);
  assert.equal((await as<List<UploadLink>>('GET', '/upload_links')).body.items.length, 1);
});

test('10.13 the link ends with its album', async () => {
  const album = (await call<{ id: string }>('POST', '/albums', { body: {} })).body.id;
  const link = await make({ album });
  await call('DELETE', `/albums/${album}`);
  assert.deepEqual(
    [(await send(link)).status, (await call('GET', `/upload_links/${link.id}`)).status],
    [404, 404],
  );
});

test('10.13 the owner has no units left: 402, which says nothing of the plan, and the link keeps its place', async () => {
  const as = callsOf(service.origin, (await service.newKey({ plan: 'no-uploads' })).key);
  const link = await make({}, as);
  const { status, headers, body } = await send<Failure>(link);
  assert.deepEqual([status, body.error.code], [402, 'quota_exceeded']);
  assert.ok(!/\d/.test(body.error.message) && headers.get('x-service-quota-limit') === null);
  assert.equal((await read(link.id, as)).used_files, 0);
});

test('10.13 one client address has a budget for all links; wrong tokens are guesses', async () => {
  const link = await make({ max_files: 1_000 });
  const headers = { 'x-forwarded-for': '203.0.113.7' };
  const statuses: number[] = [];
  for (let sent = 0; sent <= filesPerMinute; sent += 1)
    statuses.push((await send(link, new FormData(), { headers })).status);
  assert.deepEqual([statuses[0], statuses.at(-2), statuses.at(-1)], [422, 422, 429]);
  const { headers: told } = await send(link, new FormData(), { headers });
  assert.ok(Number(told.get('retry-after')) > 0);
  assert.equal((await send(link)).status, 201, 'others are not affected');
  const guess = await send({ token: 'x'.repeat(43) });
  assert.equal(guess.headers.get('x-service-ratelimit-limit'), '600');
});

test('10.13 422 names the field; links of another account do not exist', async () => {
  const stranger = callsOf(service.origin, (await service.newKey()).key);
  const album = (await call<{ id: string }>('POST', '/albums', { body: {} })).body.id;
  for (const [body, field] of [
    [{ max_files: 0 }, 'max_files'],
    [{ max_files: 1_001 }, 'max_files'],
    [{ max_bytes: 0 }, 'max_bytes'],
    [{ max_bytes: 10_485_761 }, 'max_bytes'],
    [{ expires_in: 59 }, 'expires_in'],
    [{ expires_in: null }, 'expires_in'],
    [{ title: '' }, 'title'],
    [{ album }, 'album'],
    [{ token: 'x' }, 'token'],
  ] as const) {
    const { status, body: answered } = await stranger<Failure>('POST', '/upload_links', { body });
    assert.deepEqual([status, answered.error.field], [422, field]);
  }
  const { id } = await make();
  assert.equal((await stranger('GET', `/upload_links/${id}`)).status, 404);
  assert.equal((await stranger('DELETE', `/upload_links/${id}`)).status, 404);
  assert.equal((await stranger('PATCH', `/upload_links/${id}`, { body: {} })).status, 405);
});

test('10.13 a repeat with the same Idempotency-Key answers with the same token', async () => {
  const headers = { 'idempotency-key': 'link-1' };
  const first = await call<UploadLink>('POST', '/upload_links', { body: {}, headers });
  const again = await call<UploadLink>('POST', '/upload_links', { body: {}, headers });
  assert.deepEqual([again.status, again.body], [201, first.body]);
});

for (const engine of databaseEngines) {
  test(`40 files at once through a link for 7, and through two with 5 units left: ${engine.name}`, async () => {
    const place = await engine.newPlace();
    const other = await startService({ ...place.environment, PLANS_FILE: plansFile });
    try {
      const { key, accountId } = await other.newKey({ plan: 'fifty-uploads' });
      const as = callsOf(other.origin, key);
      const { origin } = other;
      const many = (count: number, link: UploadLink) =>
        Array.from({ length: count }, () => send(link, undefined, { origin }));
      const link = await make({ max_files: 7 }, as);
      const answers = (await Promise.all(many(40, link))).map(({ status }) => status);
      assert.deepEqual(
        answers.toSorted((a, b) => a - b),
        [...Array<number>(7).fill(201), ...Array<number>(33).fill(404)],
      );
      assert.deepEqual([(await read(link.id, as)).used_files], [7]);
      assert.equal((await as<List<Upload>>('GET', '/uploads')).body.items.length, 7);
      // 38 more units are used, then five are left for two links of ten.
      const filler = await make({ max_files: 38 }, as);
      for (const sent of many(38, filler)) assert.equal((await sent).status, 201);
      const [one, two] = [await make({ max_files: 10 }, as), await make({ max_files: 10 }, as)];
      const last = (await Promise.all([...many(10, one), ...many(10, two)])).map(({ status }) => status);
      assert.deepEqual(
        last.toSorted((a, b) => a - b),
        [...Array<number>(5).fill(201), ...Array<number>(15).fill(402)],
      );
      const used = (await read(one.id, as)).used_files + (await read(two.id, as)).used_files;
      const { counter, ledger } = await booksOf(other, accountId);
      assert.deepEqual([used, counter.used, ledger.used], [5, 50, 50]);
    } finally {
      await other.stop();
      await place.remove();
    }
  });
}
