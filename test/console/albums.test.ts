// Albums, upload links, names, tags, passwords and "all that match" in the dashboard.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { png } from '#test/support/images.ts';
import { formOf } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { signedInVisitor, type Visitor } from '#test/support/visitor.ts';

let service: TestService;
let visitor: Visitor;
const ids: string[] = [];
before(async () => {
  service = await startService();
  visitor = await signedInVisitor(service);
  for (const name of ['one.png', 'two.png', 'three.png']) {
    await visitor.call('POST /uploads', { form: formOf([[await png(), name]]) });
    await service.clock.advance(86_400_000);
  }
  ids.push(...(await visitor.call('GET /uploads')).body.items.map(({ id }) => id));
});
after(() => service.stop());

const listed = async (query: Record<string, string>): Promise<string[]> =>
  (await visitor.call('GET /uploads', { query })).body.items.map(({ filename }) => filename);

test('an upload gets a name, a title, tags, a password and a number of views, and loses them again', async () => {
  const id = ids[2]!;
  const body = {
    filename: 'harbour at dawn',
    title: 'At dawn',
    tags: ['sea', 'sea', 'may'],
    password: 'secret words',
    max_views: 3,
  };
  const { body: changed } = await visitor.call('PATCH /uploads/:id', { id, body });
  assert.equal(changed.filename, 'harbour at dawn.png');
  assert.deepEqual([changed.title, changed.tags], ['At dawn', ['sea', 'may']]);
  assert.deepEqual([changed.guarded, changed.has_password, changed.max_views], [true, true, 3]);
  const file = new URL(changed.file_url).pathname;
  assert.equal((await fetch(service.origin + file)).status, 404, 'a stranger is asked first');
  assert.deepEqual(await listed({ tag: 'may' }), ['harbour at dawn.png']);
  assert.deepEqual(await listed({ search: 'at dawn' }), ['harbour at dawn.png']);
  const none = { title: null, password: null, max_views: null };
  const { body: open } = await visitor.call('PATCH /uploads/:id', { id, body: none });
  assert.deepEqual(
    [open.title, open.guarded, open.has_password, open.max_views, open.tags],
    [null, false, false, null, ['sea', 'may']],
  );
  assert.equal((await fetch(service.origin + file)).status, 200);
  const refused = await visitor.call('PATCH /uploads/:id', { id, body: { password: '' } });
  assert.deepEqual([refused.status, refused.body.error.code], [422, 'validation_error']);
});

test('all that match: their ids, a tag and an album for them, and a date as the filter', async () => {
  const all = (await visitor.call('GET /uploads/ids')).body.ids;
  assert.deepEqual(all, ids);
  assert.deepEqual((await visitor.call('POST /uploads/tag', { body: { ids: all, tag: 'trip' } })).body, {
    changed: ids,
  });
  const { items: tags } = (await visitor.call('GET /uploads/tags')).body;
  assert.deepEqual(tags[0], { tag: 'trip', uploads: 3 });

  const { body: album, status } = await visitor.call('POST /albums', { body: { title: 'A trip' } });
  assert.deepEqual([status, album.title, album.count], [201, 'A trip', 0]);
  await visitor.call('POST /uploads/move', { body: { ids: all.slice(0, 2), album: album.id } });
  assert.deepEqual(await listed({ album: album.id }), ['three.png', 'two.png']);
  assert.equal((await visitor.call('GET /albums')).body.items[0]?.count, 2);
  await visitor.call('POST /uploads/move', { body: { ids: [all[0]!], album: null } });
  assert.deepEqual(await listed({ album: album.id }), ['two.png']);
  const elsewhere = await visitor.call('POST /uploads/move', { body: { ids: all, album: 'nothing' } });
  assert.equal(elsewhere.status, 422);

  const before = new Date(service.clock.now() - 2.5 * 86_400_000).toISOString();
  assert.deepEqual(await listed({ before }), ['harbour at dawn.png']);
  assert.deepEqual((await visitor.call('GET /uploads/ids', { query: { before } })).body.ids, [ids[2]]);

  const page = await fetch(service.origin + new URL(album.url).pathname, {
    headers: { accept: 'text/html' },
  });
  assert.match(await page.text(), /A trip/);
  const { body: renamed } = await visitor.call('PATCH /albums/:id', {
    id: album.id,
    body: { title: 'A week', description: 'In May.', expires_in: 86_400 },
  });
  assert.deepEqual([renamed.title, renamed.description, renamed.count], ['A week', 'In May.', 1]);
  assert.equal((await visitor.call('DELETE /albums/:id', { id: album.id })).status, 200);
  assert.equal((await listed({})).length, 3, 'the uploads stay');
});

test('an upload has at most 20 tags, and none of several is tagged if one cannot be', async () => {
  const tags = Array.from({ length: 20 }, (_, index) => `tag ${index}`);
  await visitor.call('PATCH /uploads/:id', { id: ids[0]!, body: { tags } });
  const refused = await visitor.call('POST /uploads/tag', { body: { ids, tag: 'one more' } });
  assert.deepEqual([refused.status, await listed({ tag: 'one more' })], [422, []]);
  assert.match(refused.body.error.message, /^tag: three\.png has 20 tags/);
});

test('an upload link: its address once, what is used of it, and its end', async () => {
  const { body: album } = await visitor.call('POST /albums', { body: {} });
  const { body: link } = await visitor.call('POST /upload-links', {
    body: { title: 'Send me yours', max_files: 2, album: album.id },
  });
  const address = service.origin + new URL(link.url!).pathname;
  const sent = await fetch(address, { method: 'POST', body: formOf([[await png(), 'theirs.png']]) });
  assert.equal(sent.status, 201);
  const { items } = (await visitor.call('GET /upload-links')).body;
  assert.deepEqual(
    items.map(({ id, url, used_files, max_files }) => [id, url, used_files, max_files]),
    [[link.id, null, 1, 2]],
  );
  assert.deepEqual(await listed({ album: album.id }), ['theirs.png']);
  assert.equal((await visitor.call('DELETE /upload-links/:id', { id: link.id })).status, 200);
  assert.equal((await fetch(address)).status, 404);
});
