// `password` and `max_views` of uploads: who sees page, file, variants and oEmbed, what uses up a view, and what no cache keeps. Spec 10.11.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import sharp from 'sharp';
import type { Upload } from '#api/v2/upload-schemas.ts';
import { ticketMs } from '#uploads/upload-access.ts';
import { png, svg } from '#test/support/images.ts';
import { bearer, formOf } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { signedInVisitor } from '#test/support/visitor.ts';
import { uploadOne } from '#test/support/uploading.ts';

let service: TestService;
let key: string;
before(async () => {
  service = await startService({ TRUST_PROXY: 'true' });
  // Attempts are counted by the minute.
  service.clock.hold();
  ({ key } = await service.newKey());
});
after(() => service.stop());

const password = 'örange 7';
const html = { accept: 'text/html' };

async function store(fields: Record<string, string>, bytes?: Buffer): Promise<Upload> {
  const response = await fetch(`${service.origin}/api/v2/uploads`, {
    method: 'POST',
    headers: bearer(key),
    body: formOf([[bytes ?? (await png(300, 200)), 'secret-plan.png']], fields),
  });
  assert.equal(response.status, 201);
  return (await response.json()) as Upload;
}

async function change({ id }: Upload, changes: object): Promise<{ status: number; text: string }> {
  const response = await fetch(`${service.origin}/api/v2/uploads/${id}`, {
    method: 'PATCH',
    headers: { ...bearer(key), 'content-type': 'application/json' },
    body: JSON.stringify(changes),
  });
  return { status: response.status, text: await response.text() };
}

async function read({ id }: Upload): Promise<Upload> {
  const response = await fetch(`${service.origin}/api/v2/uploads/${id}`, { headers: bearer(key) });
  assert.equal(response.status, 200);
  return (await response.json()) as Upload;
}

async function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await fetch(service.origin + path, { method, headers, redirect: 'manual' });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes, text: bytes.toString() };
}

let addresses = 0;
/** Presses the button; each time from another address, unless one is given. */
async function press({ slug }: Pick<Upload, 'slug'>, given = '', from = `10.1.${(addresses += 1)}.7`) {
  const response = await fetch(`${service.origin}/i/${slug}/show`, {
    method: 'POST',
    redirect: 'manual',
    headers: { ...html, 'x-forwarded-for': from },
    body: new URLSearchParams({ password: given }),
  });
  const setCookie = response.headers.get('set-cookie') ?? '';
  const cookie = setCookie.split(';', 1)[0] ?? '';
  return {
    status: response.status,
    headers: response.headers,
    setCookie,
    cookie,
    text: await response.text(),
  };
}

/** Loads the page with the cookie; the picture as the page shows it. */
async function shownWith({ slug }: Upload, cookie: string) {
  const page = await get(`/i/${slug}`, { ...html, cookie });
  const src = /<img[^>]+src="([^"]+)"/.exec(page.text.replace(/<header[^]*?<\/header>/, ''))?.[1] ?? '';
  return { page, src: src.replaceAll('&#38;', '&') };
}

/** What a stranger gets from every address of the upload. */
async function strangerSees({ slug, url }: Upload) {
  const paths = [`/f/${slug}`, `/f/${slug}.png`, `/f/${slug}?width=64`, `/f/${slug}?width=64&format=webp`];
  const files = await Promise.all(paths.map((path) => get(path)));
  const embedded = await get(`/oembed?url=${encodeURIComponent(url)}`);
  return [...files, embedded].map(({ status }) => status);
}
const nothing = [404, 404, 404, 404, 404];

describe('10.11 a password', () => {
  test('page: a form and nothing of the picture; every other address: as if there was nothing', async () => {
    const upload = await store({ password, title: 'The plan' });
    const page = await get(`/i/${upload.slug}`, html);
    assert.equal(page.status, 200);
    assert.match(page.text, /<input\s+type="password"\s+name="password"/);
    assert.doesNotMatch(page.text, /secret-plan|The plan|\/f\/|og:|oembed|300|PNG/);
    assert.equal(page.headers.get('cache-control'), 'private, no-store');
    assert.deepEqual(await strangerSees(upload), nothing);
    assert.deepEqual(
      await strangerSees(await store({})),
      [200, 200, 200, 200, 200],
      'without one: all there',
    );
    const file = await get(`/f/${upload.slug}`);
    assert.deepEqual([file.headers.get('cache-control'), file.headers.get('etag')], ['no-store', null]);
    assert.equal((await get(`/f/${upload.slug}`, { 'if-none-match': '*' })).status, 404);
  });

  test('a person at the address of the file is sent to the page, where the question is', async () => {
    const { slug } = await store({ password });
    const { status, headers } = await get(`/f/${slug}?ticket=1.2`, html);
    assert.deepEqual([status, headers.get('location')], [302, `/i/${slug}`]);
    assert.equal(headers.get('cache-control'), 'private, no-store');
  });

  test('the right one: a cookie for this page only, and a picture that no cache keeps', async () => {
    const upload = await store({ password });
    const { status, headers, setCookie, cookie } = await press(upload, password.normalize('NFD'));
    assert.deepEqual([status, headers.get('location')], [303, `/i/${upload.slug}`]);
    assert.match(
      setCookie,
      new RegExp(`^tintype_ticket=[\\w.-]+; Path=/i/${upload.slug}; Max-Age=900; HttpOnly; SameSite=Lax$`),
    );
    const { page, src } = await shownWith(upload, cookie);
    assert.equal(page.status, 200);
    assert.equal(page.headers.get('cache-control'), 'private, no-store');
    assert.match(page.text, /secret-plan/);
    assert.doesNotMatch(page.text, /og:|oembed|Markdown|Direct link/, 'what would not work is not offered');
    assert.match(src, new RegExp(`^/f/${upload.slug}\\?ticket=`));
    for (const address of [src, `${src}&width=64`, `${src}&download=1`]) {
      const { status: loaded, headers: given } = await get(address);
      assert.deepEqual([loaded, given.get('cache-control')], [200, 'private, no-store'], address);
    }
    assert.deepEqual(await strangerSees(upload), nothing);
  });

  test('a wrong one: 403, nothing set, nothing of the picture', async () => {
    const upload = await store({ password });
    for (const wrong of ['', 'orange 7', `${password} `]) {
      const { status, setCookie, text } = await press(upload, wrong);
      assert.deepEqual([status, setCookie], [403, ''], wrong);
      assert.match(text, /not the password/);
      assert.doesNotMatch(text, /secret-plan|\/f\//);
    }
  });

  test('a ticket is for one upload, ends after a quarter of an hour, and cannot be altered', async () => {
    const [upload, other] = [await store({ password }), await store({ password })];
    const { src } = await shownWith(upload, (await press(upload, password)).cookie);
    const [, ticket = ''] = src.split('ticket=');
    const [ends = '', signature = ''] = ticket.split('.');
    const later = (Number.parseInt(ends, 36) + 60_000).toString(36);
    for (const [slug, given = ''] of [
      [other.slug, ticket],
      [upload.slug, `${later}.${signature}`],
      [upload.slug, `${ends}.${signature.slice(1)}`],
      [upload.slug, `${ends}.`],
      [upload.slug, ''],
      [upload.slug, `${ticket}&ticket=${ticket}`],
    ])
      assert.equal((await get(`/f/${slug}?ticket=${given}`)).status, 404, given);
    assert.equal((await get(src)).status, 200);
    await service.clock.advance(ticketMs + 1);
    assert.equal((await get(src)).status, 404);
  });

  test('guesses: ten a minute from one address, and the page says when to go on', async () => {
    const upload = await store({ password });
    const results = [];
    for (let attempt = 0; attempt < 12; attempt += 1)
      results.push(await press(upload, `guess ${attempt}`, '192.0.2.9'));
    assert.deepEqual(
      results.map(({ status }) => status),
      [...Array<number>(10).fill(403), 429, 429],
    );
    const { headers, text } = results.at(-1)!;
    assert.match(headers.get('retry-after') ?? '', /^\d+$/);
    assert.match(text, /Too many attempts/);
    assert.equal((await press(upload, password, '192.0.2.9')).status, 429, 'the right one waits too');
    assert.equal((await press(upload, password, '198.51.100.4')).status, 303, 'others do not');
  });

  test('set, changed and removed by PATCH; a change ends what was shown before', async () => {
    const upload = await store({});
    assert.equal((await change(upload, { password: 'first' })).status, 200);
    assert.deepEqual(await strangerSees(upload), nothing);
    const { src } = await shownWith(upload, (await press(upload, 'first')).cookie);
    assert.equal((await get(src)).status, 200);
    assert.equal((await change(upload, { password: 'second', title: 'New' })).status, 200);
    assert.equal((await get(src)).status, 404);
    assert.equal((await press(upload, 'first')).status, 403);
    assert.equal((await press(upload, 'second')).status, 303);
    assert.equal((await change(upload, { password: null })).status, 200);
    assert.deepEqual(await strangerSees(upload), [200, 200, 200, 200, 200]);
  });

  test('is in no answer, no log line and no column', async () => {
    const upload = await store({ password: 'PlainToSee99' });
    const { text } = await change(upload, { password: 'PlainToSee98' });
    const refused = await change(upload, { password: ['PlainToSee97'] });
    const broken = await fetch(`${service.origin}/api/v2/uploads/${upload.id}`, {
      method: 'PATCH',
      headers: { ...bearer(key), 'content-type': 'application/json' },
      body: '{"password": "PlainToSee96}',
    });
    const row = await service.database.tables.uploads.byId(upload.id);
    const seen = [upload, text, refused.text, await broken.text(), row, service.logLines()];
    assert.deepEqual([refused.status, broken.status], [422, 422]);
    assert.match(refused.text, /password: must be a string of 1 to 200 characters, or null/);
    assert.doesNotMatch(JSON.stringify(seen), /PlainToSee/);
  });

  test('is part of what a repeat compares, but cannot be guessed from what is stored for it', async () => {
    const bytes = await png();
    const send = async (idempotencyKey: string, given: string): Promise<number> => {
      const response = await fetch(`${service.origin}/api/v2/uploads`, {
        method: 'POST',
        headers: { ...bearer(key), 'idempotency-key': idempotencyKey },
        body: formOf([[bytes, 'a.png']], { password: given }),
      });
      return response.status;
    };
    assert.deepEqual([await send('one', 'a'), await send('one', 'a')], [201, 201]);
    assert.deepEqual([await send('one', 'b'), await send('two', 'a')], [422, 201]);
    const rows = await service.database.connection
      .selectFrom('idempotency_keys')
      .select('fingerprint')
      .execute();
    assert.equal(
      new Set(rows.map(({ fingerprint }) => fingerprint)).size,
      2,
      'keyed with what is not stored',
    );
  });
});

describe('10.11 max_views', () => {
  test('only the button uses one up: not GET, HEAD, previews or prefetches', async () => {
    const upload = await store({ max_views: '1' });
    const agents = ['Twitterbot/1.0', 'facebookexternalhit/1.1', 'Slackbot-LinkExpanding 1.0'];
    for (const agent of agents) await get(`/i/${upload.slug}`, { 'user-agent': agent });
    await get(`/i/${upload.slug}`, html, 'HEAD');
    await get(`/i/${upload.slug}`, { ...html, 'sec-purpose': 'prefetch;prerender' });
    await get(`/i/${upload.slug}/show`, html);
    await get(`/f/${upload.slug}`, html);
    assert.deepEqual(await strangerSees(upload), nothing);
    const page = await get(`/i/${upload.slug}`, html);
    assert.match(page.text, /<button class="button primary">Show<\/button>/);
    assert.doesNotMatch(page.text, /secret-plan|\/f\/|og:/);
    assert.equal((await press(upload)).status, 303);
  });

  test('used up: the link has ended for everyone but the last visitor, then for everyone, and its owner keeps the file', async () => {
    const upload = await store(
      { max_views: '2' },
      await sharp(await png(300, 200))
        .jpeg()
        .toBuffer(),
    );
    await press(upload);
    const { cookie } = await press(upload);
    assert.equal((await press(upload)).status, 404);
    assert.equal((await get(`/i/${upload.slug}`, html)).status, 404);
    assert.deepEqual(await strangerSees(upload), nothing);
    assert.equal((await get(`/f/${upload.slug}`, html)).status, 404);
    const { page, src } = await shownWith(upload, cookie);
    assert.equal(page.status, 200);
    assert.equal((await get(src)).status, 200);
    assert.equal((await get(`${src}&width=64`)).status, 200);
    // With Postgres the time is the database's, which is not exactly this clock's.
    await service.clock.advance(ticketMs + 1_000);
    assert.equal((await get(`/i/${upload.slug}`, { ...html, cookie })).status, 404);
    assert.equal((await get(src)).status, 404);
    await service.clock.advance(ticketMs);
    const own = await read(upload);
    assert.deepEqual(own, { ...upload, delete_url: null, views: 2 });
    const list = await fetch(`${service.origin}/api/v2/uploads`, { headers: bearer(key) });
    const { items } = (await list.json()) as { items: Upload[] };
    assert.deepEqual(
      items.find(({ id }) => id === upload.id),
      own,
    );
  });

  test('used up: a larger number opens the link again, and a smaller one than it has had is refused', async () => {
    const upload = await store({ max_views: '2', expires_in: '86400' });
    await press(upload);
    await press(upload);
    assert.equal((await press(upload)).status, 404);
    const refused = await change(upload, { max_views: 1 });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /max_views: must be at least 2, the views that the upload has had, or null/);
    assert.equal((await change(upload, { max_views: 2 })).status, 200);
    assert.equal((await press(upload)).status, 404);
    const opened = await change(upload, { max_views: 3 });
    assert.deepEqual(JSON.parse(opened.text), { ...upload, delete_url: null, max_views: 3, views: 2 });
    const { cookie } = await press(upload);
    const { src } = await shownWith(upload, cookie);
    assert.equal((await get(src)).bytes.length, upload.size_bytes);
    assert.equal((await press(upload)).status, 404);
    assert.equal((await change(upload, { max_views: null })).status, 200);
    assert.deepEqual(await strangerSees(upload), [200, 200, 200, 200, 200]);
    const { views, max_views } = await read(upload);
    assert.deepEqual([views, max_views], [3, null]);
  });

  test('used up: deleted and restored by its owner, and deleted for good with its delete_url', async () => {
    const upload = await store({ max_views: '1' });
    await press(upload);
    const call = (method: string, rest = '') =>
      fetch(`${service.origin}/api/v2/uploads/${upload.id}${rest}`, { method, headers: bearer(key) });
    assert.equal((await call('DELETE')).status, 200);
    assert.equal((await call('GET')).status, 404);
    const restored = await call('POST', '/restore');
    assert.deepEqual([restored.status, ((await restored.json()) as Upload).views], [200, 1]);
    assert.equal((await press(upload)).status, 404);
    const deleted = await fetch(upload.delete_url!.replace('http://tintype.test', service.origin), {
      method: 'POST',
    });
    assert.equal(deleted.status, 200);
    assert.deepEqual([(await call('GET')).status, (await call('POST', '/restore')).status], [404, 404]);
  });

  test('used up: its owner sees it in the dashboard, and an album shows the others', async () => {
    const owner = await signedInVisitor(service);
    const { id } = (await owner.call('POST /albums', { body: { title: 'Once' } })).body;
    await owner.call('POST /uploads', { form: formOf([[await png(300, 200), 'once.png']]) });
    const [{ id: uploadId } = { id: '' }] = (await owner.call('GET /uploads')).body.items;
    const body = { album: id, max_views: 1 };
    const { body: upload } = await owner.call('PATCH /uploads/:id', { id: uploadId, body });
    assert.equal((await owner.call('GET /albums')).body.items[0]?.count, 1);
    await press(upload);
    assert.equal((await owner.call('GET /albums')).body.items[0]?.count, 0);
    const shown = (await owner.call('GET /uploads/:id', { id: upload.id })).body;
    assert.deepEqual([shown.max_views, shown.views], [1, 1]);
    assert.equal((await owner.call('GET /uploads', { query: { album: id } })).body.items.length, 1);
    assert.equal((await owner.call('GET /uploads/totals')).body.files, 1);
    const { pathname, search } = new URL(shown.preview_url);
    assert.equal((await get(pathname + search)).status, 200);
    assert.equal((await owner.raw('GET /uploads/:id/thumbnail', { id: upload.id })).status, 200);
    const again = await owner.call('PATCH /uploads/:id', { id: upload.id, body: { max_views: 2 } });
    assert.deepEqual([again.body.max_views, again.body.views], [2, 1]);
    assert.equal((await press(upload)).status, 303);
  });

  test('pressed by many at once: as many are let in as there are views, and the others hear that it is gone', async () => {
    const upload = await store({ max_views: '2' });
    const answers = await Promise.all(Array.from({ length: 6 }, () => press(upload)));
    const statuses = answers.map(({ status }) => status).toSorted((left, right) => left - right);
    assert.deepEqual(statuses, [303, 303, 404, 404, 404, 404]);
    const cookies = answers.map(({ cookie }) => cookie).filter((cookie) => cookie !== '');
    assert.equal(cookies.length, 2);
    for (const cookie of cookies) assert.equal((await shownWith(upload, cookie)).page.status, 200);
  });

  test('whoever was let in and presses again uses up no other view', async () => {
    const upload = await store({ max_views: '2' });
    const { cookie } = await press(upload);
    const again = await get(`/i/${upload.slug}/show`, { ...html, cookie }, 'POST');
    assert.deepEqual([again.status, again.headers.get('location')], [303, `/i/${upload.slug}`]);
    assert.notEqual((await press(upload)).cookie, '', 'the second view is still there');
  });

  test('does not outlive its expiry, and is changed by PATCH', async () => {
    const upload = await store({ max_views: '1', expires_in: '60' });
    const { cookie } = await press(upload);
    await service.clock.advance(61_000);
    assert.equal((await shownWith(upload, cookie)).page.status, 404);
    const other = await store({ max_views: '1' });
    assert.equal((await change(other, { max_views: 2 })).status, 200);
    assert.deepEqual([(await press(other)).status, (await press(other)).status], [303, 303]);
    assert.equal((await get(`/i/${other.slug}`, html)).status, 404);
    const free = await store({ max_views: '1' });
    assert.equal((await change(free, { max_views: null })).status, 200);
    assert.deepEqual(await strangerSees(free), [200, 200, 200, 200, 200]);
  });

  test('with a password, a wrong one uses up nothing', async () => {
    const upload = await store({ max_views: '1', password });
    for (const wrong of ['', 'x']) assert.equal((await press(upload, wrong)).status, 403);
    assert.equal((await read(upload)).views, 0);
    const { cookie, status } = await press(upload, password);
    assert.equal(status, 303);
    const { has_password, max_views, views } = await read(upload);
    assert.deepEqual([has_password, max_views, views], [true, 1, 1]);
    assert.equal((await shownWith(upload, cookie)).page.status, 200);
    assert.equal((await get(`/i/${upload.slug}`, html)).status, 404);
  });
});

test('10.11 422 for what is no password or no number of views', async () => {
  for (const [fields, message] of [
    [{ password: '' }, /^password: must be a string of 1 to 200 characters$/],
    [{ password: 'x'.repeat(201) }, /^password: must be a string of 1 to 200 characters$/],
    [{ max_views: '0' }, /^max_views: must be an integer from 1 to 1000000, not "0"$/],
    [{ max_views: '1.5' }, /^max_views: must be/],
    [{ max_views: '1000001' }, /^max_views: must be/],
  ] as [Record<string, string>, RegExp][]) {
    const response = await fetch(`${service.origin}/api/v2/uploads`, {
      method: 'POST',
      headers: bearer(key),
      body: formOf([[await png(), 'a.png']], fields),
    });
    const { error } = (await response.json()) as { error: { message: string; field: string } };
    assert.equal(response.status, 422);
    assert.match(error.message, message);
    assert.equal(error.field, Object.keys(fields)[0]);
  }
});

test('10.11 an upload that asks for nothing, and an address of nothing, have no question', async () => {
  const plain = await uploadOne(service.origin, key);
  const sent = await get(`/i/${plain.slug}/show`, html, 'POST');
  assert.deepEqual([sent.status, sent.headers.get('location')], [303, `/i/${plain.slug}`]);
  assert.equal((await get('/i/nothing/show', html, 'POST')).status, 404);
  assert.equal((await get('/i/%0d%0ax-y:1/show', html, 'POST')).status, 404);
  assert.equal((await get(`/i/${plain.slug}`, {}, 'POST')).status, 405, 'as version 1 says');
});

test('10.11 its owner sees it in the dashboard, and by key; the delete link shows it and works', async () => {
  const visitor = await signedInVisitor(service);
  const { key: own } = await service.accounts.createKey(visitor.email, 'own');
  const ids = [];
  for (const [name, bytes] of [
    ['a.png', await png(64, 64)],
    ['a.svg', svg()],
  ] as [string, Buffer][]) {
    const response = await fetch(`${service.origin}/api/v2/uploads`, {
      method: 'POST',
      headers: bearer(own),
      body: formOf([[bytes, name]], { password, max_views: '3' }),
    });
    const { id, delete_url } = (await response.json()) as Upload;
    ids.push(id);
    const { body } = await visitor.call('GET /uploads/:id', { id });
    assert.equal(body.guarded, true);
    for (const address of [body.preview_url, body.download_url]) {
      const path = address.replace('http://tintype.test', '');
      assert.equal((await get(path)).status, 200, path);
    }
    const thumbnail = await visitor.raw('GET /uploads/:id/thumbnail', { id });
    const path = thumbnail.headers.get('location');
    assert.ok(thumbnail.status === 200 || (await get(path ?? '')).status === 200, name);
    if (path !== null) assert.match(thumbnail.headers.get('cache-control') ?? '', /no-store/);
    const asked = await get(delete_url!.replace('http://tintype.test', ''), html);
    const src = /class="thumbnail" src="([^"]+)"/.exec(asked.text)?.[1]?.replaceAll('&#38;', '&') ?? '';
    assert.equal((await get(src)).status, 200);
    assert.equal((await get(delete_url!.replace('http://tintype.test', ''), {}, 'POST')).status, 200);
  }
  const list = await fetch(`${service.origin}/api/account/uploads`, { headers: bearer(own) });
  assert.deepEqual(((await list.json()) as { items: unknown[] }).items, [], 'both are deleted');
  assert.equal(ids.length, 2);
});

test('10.11 with a host for bytes, the page is on one host and its picture, with a ticket, on the other', async () => {
  const split = await startService({
    CONTENT_BASE_URL: 'http://files.test',
    BASE_URL: 'https://tintype.test',
  });
  try {
    const { key: own } = await split.newKey();
    const response = await fetch(`${split.origin}/api/v2/uploads`, {
      method: 'POST',
      headers: bearer(own),
      body: formOf([[await png(), 'a.png']], { password }),
    });
    const { slug } = (await response.json()) as Upload;
    const shown = await fetch(`${split.origin}/i/${slug}/show`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ password }),
    });
    const setCookie = shown.headers.get('set-cookie') ?? '';
    assert.match(setCookie, /; Secure$/);
    const page = await fetch(`${split.origin}/i/${slug}`, {
      headers: { ...html, cookie: setCookie.split(';', 1)[0]! },
    });
    const src = /src="http:\/\/files\.test(\/f\/[^"]+)"/.exec(await page.text())?.[1] ?? '';
    assert.equal((await fetch(split.origin + src.replaceAll('&#38;', '&'))).status, 200);
    const direct = await fetch(`${split.origin}/f/${slug}`, { headers: html, redirect: 'manual' });
    assert.equal(direct.headers.get('location'), `https://tintype.test/i/${slug}`);
  } finally {
    await split.stop();
  }
});
