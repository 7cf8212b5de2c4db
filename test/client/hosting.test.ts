// The library's hosting by version 2 against a real service: uploads, albums, upload links, lists and usage.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { RequestError, Tintype } from '#client/index.ts';
import { png, svg } from '#test/support/images.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { startService, type TestService } from '#test/support/service.ts';

let service: TestService;
let site: PageServer;
let client: Tintype;
let image: Buffer;

before(async () => {
  image = await png();
  site = await startPageServer({
    '/logo.png': (_request, response) => response.writeHead(200, { 'content-type': 'image/png' }).end(image),
  });
  service = await startService({ EGRESS_ALLOW: site.host });
  const { key } = await service.newKey();
  client = new Tintype({ baseUrl: service.origin, apiKey: key, maxRetries: 0 });
});
after(async () => {
  await service.stop();
  await site.close();
});

const picture = (name: string) => ({ data: svg(`<text>${name}</text>`), filename: `${name}.svg` });

test('an upload has its fields, is read, edited, deleted and restored', async () => {
  const album = await client.albums.create({ title: 'Sea' });
  const told: number[] = [];
  const upload = await client.uploads.create(
    { data: image, filename: 'a.png' },
    {
      title: 'Harbour',
      tags: ['sea', 'boats & nets'],
      album: album.id,
      filename: 'harbour.png',
      stripMetadata: false,
      expiresIn: 3600,
      onProgress: ({ sentBytes }) => told.push(sentBytes),
    },
  );
  assert.deepEqual(
    [upload.title, upload.tags, upload.album, upload.filename, upload.metadataRemoved],
    ['Harbour', ['sea', 'boats & nets'], album.id, 'harbour.png', []],
  );
  assert.equal(told.at(-1), image.length);
  assert.match(upload.deleteUrl, /token=/);
  assert.ok(upload.meta.quota);

  const { meta: _meta, ...read } = await client.uploads.get(upload.id);
  assert.deepEqual(read, { ...read, id: upload.id, sha256: upload.sha256, deleteUrl: null });
  const edited = await client.uploads.edit(upload.id, { title: null, tags: ['one'], expiresIn: null });
  assert.deepEqual(
    [edited.title, edited.tags, edited.expiresAt, edited.album],
    [null, ['one'], null, album.id],
  );
  await client.uploads.delete(upload.id);
  await assert.rejects(client.uploads.get(upload.id), { code: 'not_found' });
  await assert.rejects(client.uploads.delete(upload.id), { code: 'not_found' });
  assert.equal((await client.uploads.restore(upload.id)).id, upload.id);
  assert.equal((await client.uploads.get(upload.id)).filename, 'harbour.png');
});

test('a password and a limit of views hold for the file', async () => {
  const upload = await client.uploads.create(picture('locked'), { password: 'hunter2', maxViews: 1 });
  await assert.rejects(client.download(upload.fileUrl));
  await client.uploads.edit(upload.id, { password: null, maxViews: null });
  assert.match((await client.download(upload.fileUrl)).contentType, /svg/);
});

test('an upload from an address; a refused field is an error that names it', async () => {
  const upload = await client.uploads.create({ url: `${site.base}/logo.png` }, { tags: ['fetched'] });
  assert.deepEqual([upload.contentType, upload.tags], ['image/png', ['fetched']]);
  await assert.rejects(client.uploads.create({ url: `${site.base}/none.png` }), { code: 'fetch_failed' });
  await assert.rejects(
    client.uploads.create(picture('x'), { maxViews: 0 }),
    (error: unknown) => error instanceof RequestError && error.field === 'maxViews',
  );
});

test('a list is a page when awaited and everything when looped over; filters hold on each page', async () => {
  const album = await client.albums.create({});
  const files = ['p1', 'p2', 'p3', 'p4', 'p5'].map((name) => ({
    file: picture(name),
    ...(name !== 'p5' && { tags: ['paged'] }),
    title: `title ${name}`,
  }));
  const outcomes = [];
  for await (const item of client.uploads.createAll(files, { album: album.id })) outcomes.push(item);
  assert.deepEqual(
    outcomes.map(({ ok, source }) => [ok, files.includes(source)]),
    files.map(() => [true, true]),
  );

  const page = await client.uploads.list({ tag: 'paged', limit: 3 });
  assert.equal(page.items.length, 3);
  assert.ok(page.nextCursor);
  const titles: (string | null)[] = [];
  for await (const upload of client.uploads.list({ tag: 'paged', limit: 3 })) titles.push(upload.title);
  // Several are sent at once, so their order is not that of the files.
  assert.deepEqual(new Set(titles), new Set(['title p1', 'title p2', 'title p3', 'title p4']));
  const rest = [];
  for await (const upload of client.uploads.list({ tag: 'paged', limit: 3, cursor: page.nextCursor }))
    rest.push(upload.id);
  assert.equal(rest.length, 1);
  assert.equal((await client.uploads.list({ album: album.id, search: 'title p5' })).items.length, 1);

  const small = [];
  for await (const { filename } of client.listUploads({ type: 'svg', search: 'p', limit: 2, sort: 'name' }))
    small.push(filename);
  assert.deepEqual(small, ['p1.svg', 'p2.svg', 'p3.svg', 'p4.svg', 'p5.svg']);
  await assert.rejects(
    async () => {
      for await (const _upload of client.uploads.list({ limit: 0 })) assert.fail('a page came');
    },
    { code: 'validation_error' },
  );
});

test('an album is listed, edited and deleted, and its uploads stay', async () => {
  const album = await client.albums.create({ title: 'Cats', description: 'All of them' });
  const upload = await client.uploads.create(picture('cat'), { album: album.id });
  const read = await client.albums.get(album.id);
  assert.deepEqual([read.title, read.count, read.coverUrl], ['Cats', 1, upload.fileUrl]);
  assert.equal((await client.albums.edit(album.id, { title: 'Dogs' })).description, 'All of them');
  const titles = [];
  for await (const { title } of client.albums.list({ limit: 1 })) titles.push(title);
  assert.ok(titles.includes('Dogs'));
  await client.albums.delete(album.id);
  await assert.rejects(client.albums.get(album.id), { code: 'not_found' });
  assert.equal((await client.uploads.get(upload.id)).album, null);
});

test('an upload link shows its token once, takes files, counts them and ends', async () => {
  const link = await client.uploadLinks.create({ maxFiles: 2, title: 'Send me your pictures' });
  assert.ok(link.url.endsWith(link.token));
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(image)]), 'a.png');
  const response = await fetch(service.origin + new URL(link.url).pathname, { method: 'POST', body: form });
  assert.ok(response.ok, await response.text());
  const read = await client.uploadLinks.get(link.id);
  assert.deepEqual([read.url, read.token, read.usedFiles, read.maxFiles], [null, null, 1, 2]);
  assert.equal((await client.uploadLinks.list()).items[0]?.id, link.id);
  await client.uploadLinks.delete(link.id);
  await assert.rejects(client.uploadLinks.get(link.id), { code: 'not_found' });
});

test('usage counts what was stored', async () => {
  const before = await client.getUsage();
  await client.uploads.create(picture('counted'));
  const { upload, renders, requests } = await client.getUsage();
  assert.equal(upload.used - before.upload.used, 1);
  assert.equal(renders.running, 0);
  assert.ok(requests.limit > 0);
});
