// GET /a/<slug>, /a/<slug>.zip and /u/<token>: markup, headers, what is shown to strangers, and the archive. Spec 10.12, 10.13.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import type { Album, UploadLink } from '#api/v2/album-schemas.ts';
import type { Upload } from '#api/v2/upload-schemas.ts';
import { newSlug } from '#core/ids.ts';
import { createAlbums } from '#uploads/albums.ts';
import { callsOf, type Call } from '#test/support/calls-v2.ts';
import { gif, png, pngOfSize, svg } from '#test/support/images.ts';
import { temporaryFolder } from '#test/support/processes.ts';
import { formOf } from '#test/support/requests.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { watchStatements } from '#test/support/statements.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { uploadRow } from '#test/storage/rows.ts';

let service: TestService;
let call: Call;
let account: { email: string; accountId: string };
/** Files of the store that are open at this moment. */
let opened = 0;
before(async () => {
  service = await startService({}, 0, undefined, {
    wrapBlobs: (blobs) => ({
      ...blobs,
      async open(...wanted) {
        const blob = await blobs.open(...wanted);
        if (!blob) return undefined;
        opened += 1;
        blob.stream.once('close', () => (opened -= 1));
        return blob;
      },
    }),
  });
  const { key, ...rest } = await service.newKey();
  account = rest;
  call = callsOf(service.origin, key);
});
after(() => service.stop());

const make = async (body: object = {}): Promise<Album> =>
  (await call<Album>('POST', '/albums', { body })).body;
async function put(album: string, bytes: Buffer, filename: string, fields = {}): Promise<Upload> {
  const { status, body } = await call<Upload>('POST', '/uploads', {
    body: formOf([[bytes, filename]], { album, ...fields }),
  });
  assert.equal(status, 201, JSON.stringify(body));
  return body;
}
async function page(path: string) {
  const response = await fetch(service.origin + path, { headers: { accept: 'text/html' } });
  return { status: response.status, headers: response.headers, markup: await response.text() };
}
const meta = (markup: string, name: string): string | undefined =>
  new RegExp(`<meta (?:property|name)="${name}" content="([^"]*)"`).exec(markup)?.[1];
const linksIn = (markup: string): string[] =>
  [...markup.matchAll(/<a\s+class="tile"\s+href="([^"]*)"/g)].map(([, href = '']) => href);

test('the page: pictures in their order as small variants, the text of the owner, a card for chats', async () => {
  const album = await make({ title: '<b>"Sea" & sun', description: 'One.\nTwo <i>', expires_in: 86_400 });
  const drawing = await put(album.id, svg(), 'first.svg');
  const small = await put(album.id, await png(), 'small.png', { title: 'A "dot"' });
  const photo = { content_type: 'image/jpeg', width: 1200, height: 900, filename: 'large.jpg' };
  const large = uploadRow(account.accountId, {
    ...photo,
    album_id: album.id,
    created_at: service.clock.now() + 1_000,
  });
  await service.database.tables.uploads.insert(large);
  const { status, headers, markup } = await page(`/a/${album.slug}`);
  assert.equal(status, 200);
  assert.match(
    headers.get('content-security-policy') ?? '',
    /default-src 'none'.*script-src 'self'; form-action/,
  );
  assert.deepEqual(
    [headers.get('cache-control'), headers.get('x-robots-tag'), headers.get('referrer-policy')],
    ['no-cache', 'noindex', 'no-referrer'],
  );
  assert.deepEqual(
    linksIn(markup),
    [drawing, small, large].map(({ slug }) => `/i/${slug}`),
  );
  assert.ok(!markup.includes('<b>') && !markup.includes('<i>') && !/<script(?! src=)/.test(markup));
  assert.match(markup, /3 pictures · 10\.0 MB/);
  assert.match(markup, new RegExp(`href="/a/${album.slug}.zip"`));
  // No tile loads the picture itself if there is something smaller.
  const tile = markup.slice(markup.indexOf(`/i/${large.slug}`));
  assert.match(
    tile,
    new RegExp(`<img\\s+src="/f/${large.slug}\\?width=384"\\s+srcset="/f/${large.slug}\\?width=256 256w`),
  );
  assert.match(markup, new RegExp(`<img src="/f/${small.slug}" alt="A &#34;dot&#34;" loading="lazy"`));
  assert.equal(meta(markup, 'og:title'), '&#60;b&#62;&#34;Sea&#34; &#38; sun');
  assert.equal(meta(markup, 'og:description'), 'One.');
  assert.equal(meta(markup, 'og:url'), album.url);
  // The first one, as a picture that a chat can show.
  assert.equal(meta(markup, 'og:image'), `${drawing.file_url}/preview.png`);
  assert.equal(meta(markup, 'twitter:card'), 'summary_large_image');
});

test('a large picture that is always served whole is a name, not a thumbnail', async () => {
  const album = await make();
  const row = async (content_type: string) => {
    const made = uploadRow(account.accountId, { album_id: album.id, content_type, width: 900, height: 900 });
    await service.database.tables.uploads.insert({ ...made, filename: `x.${content_type.slice(6, 9)}` });
    return made.slug;
  };
  const [moving, drawn] = [await row('image/gif'), await row('image/svg+xml')];
  await put(album.id, await gif(), 'small.gif');
  const { markup } = await page(`/a/${album.slug}`);
  for (const slug of [moving, drawn])
    assert.ok(!markup.includes(`src="/f/${slug}"`) || markup.includes(`data-src="/f/${slug}"`));
  assert.equal(markup.match(/class="named"/g)?.length, 2);
  assert.equal(markup.match(/<img\s/g)?.length, 3, 'the mark, the small one and the viewer');
});

test('guarded uploads are locked tiles without a name, and neither card nor archive has them', async () => {
  const album = await make({ title: 'Guarded' });
  const secret = await put(album.id, await png(40, 30), 'private-name.png', { password: 'sesame' });
  const once = await put(album.id, await png(41, 30), 'once-name.png', { max_views: '1' });
  const open = await put(album.id, await png(42, 30), 'open.png');
  const { markup } = await page(`/a/${album.slug}`);
  assert.deepEqual(linksIn(markup).length, 3);
  assert.ok(!markup.includes('private-name') && !markup.includes('once-name'));
  for (const { slug } of [secret, once]) assert.ok(!markup.includes(`/f/${slug}`));
  assert.equal(meta(markup, 'og:image'), `${open.file_url}?width=1280`);
  assert.deepEqual(await namesIn(album), ['open.png']);
});

async function namesIn({ slug }: Pick<Album, 'slug'>): Promise<string[]> {
  const { path, remove } = await temporaryFolder();
  try {
    const file = join(path, 'a.zip');
    const response = await fetch(`${service.origin}/a/${slug}.zip`);
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'application/zip']);
    await writeFile(file, Buffer.from(await response.arrayBuffer()));
    const script =
      'import sys,zipfile\nz=zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\nprint("\\n".join(z.namelist()))';
    const { stdout } = await promisify(execFile)('python3', ['-c', script, file]);
    return stdout.trim().split('\n').filter(Boolean);
  } finally {
    await remove();
  }
}

test('the archive: every file under a name of its own, and the name of the album', async () => {
  const album = await make({ title: 'Day: 1/2 "é"' });
  for (const name of ['a.png', 'A.png', '../../etc/passwd.png', 'a.png'])
    await put(album.id, await png(), name);
  const deleted = await put(album.id, await png(), 'deleted.png');
  await call('DELETE', `/uploads/${deleted.id}`);
  assert.deepEqual(await namesIn(album), ['a.png', 'A (2).png', 'passwd.png', 'a (3).png']);
  const head = await fetch(`${service.origin}/a/${album.slug}.zip`, { method: 'HEAD' });
  assert.match(
    head.headers.get('content-disposition') ?? '',
    /^attachment; filename="[^"\\/]+\.zip"; filename\*=UTF-8''.*%C3%A9.*\.zip$/,
  );
  assert.equal(head.headers.get('cache-control'), 'no-store');
  assert.deepEqual(await namesIn(await make()), []);
});

test('the archive reads its uploads a hundred at a time', async () => {
  const album = await make();
  const rows = Array.from({ length: 250 }, (_, index) =>
    uploadRow(account.accountId, { album_id: album.id, created_at: 1_000 + index }),
  );
  await service.database.tables.uploads.insert(...rows);
  // After a second they are read again, and files of a store may take longer.
  service.clock.hold();
  const watch = watchStatements();
  try {
    assert.deepEqual(await namesIn(album), []);
    assert.deepEqual(
      watch.take().filter((statement) => statement.endsWith(' uploads')),
      ['select uploads', 'select uploads', 'select uploads'],
    );
  } finally {
    watch.stop();
  }
});

test('what is deleted or suspended while an archive is read is left out of it', async () => {
  const album = await make();
  const rows = Array.from({ length: 4 }, (_, index) =>
    uploadRow(account.accountId, { album_id: album.id, created_at: 1_000 + index }),
  );
  await service.database.tables.uploads.insert(...rows);
  const uploads = createAlbums(service).everyUploadIn(album.id);
  const next = async () => {
    const { value } = await uploads.next();
    return value && [rows.findIndex(({ id }) => id === value.id), value.owner_suspended];
  };
  assert.deepEqual(await next(), [0, 0]);
  await service.database.tables.uploads.markDeleted(rows[1]!.id, service.clock.now());
  await service.clock.advance(2_000);
  assert.deepEqual(await next(), [2, 0]);
  await service.accounts.update(account.email, { suspended: true });
  await service.clock.advance(2_000);
  assert.deepEqual(await next(), [3, 1]);
  await service.accounts.update(account.email, { suspended: false });
  assert.equal(await next(), undefined);
});

test('a reader that hangs up ends the archive, and nothing stays open', async () => {
  const album = await make();
  const bytes = await pngOfSize(4_000_000);
  // Otherwise what follows the end of the picture would be left out.
  const whole = { strip_metadata: 'false' };
  for (let count = 0; count < 3; count += 1) await put(album.id, bytes, 'large.png', whole);
  const asked = request(`${service.origin}/a/${album.slug}.zip`);
  asked.on('error', () => {});
  asked.end();
  const [response] = (await new Promise((resolve) =>
    asked.once('response', (...given) => resolve(given)),
  )) as [NodeJS.ReadableStream & { destroy(): void }];
  await new Promise((resolve) => response.once('data', resolve));
  response.pause();
  // Another store may have sent all of it by now.
  if (service.config.storage === undefined) assert.ok(opened > 0);
  response.destroy();
  await waitFor('the file to be closed', () => opened === 0);
});

test('many pictures: page by page, each once', async () => {
  const album = await make();
  const rows = Array.from({ length: 250 }, (_, index) =>
    uploadRow(account.accountId, { album_id: album.id, slug: newSlug(), created_at: 1_000 + index }),
  );
  await service.database.tables.uploads.insert(...rows);
  const seen: string[] = [];
  for (let path: string | undefined = `/a/${album.slug}`; path !== undefined;) {
    const { markup } = await page(path);
    const links = linksIn(markup);
    assert.ok(links.length <= 120);
    seen.push(...links);
    path = /href="([^"]+\?after=[^"]+)"/.exec(markup)?.[1];
  }
  assert.deepEqual(
    seen,
    rows.map(({ slug }) => `/i/${slug}`),
  );
  assert.equal((await page(`/a/${album.slug}?after=x`)).status, 422);
});

test('expired, deleted, unknown, of a suspended owner: the page and the archive are gone', async () => {
  const brief = await make({ expires_in: 60 });
  const deleted = await make();
  await call('DELETE', `/albums/${deleted.id}`);
  const kept = await make();
  await service.clock.advance(61_000);
  await service.accounts.update(account.email, { suspended: true });
  for (const slug of [brief.slug, deleted.slug, kept.slug, 'unknown', '..%2f', 'a.zip.zip'])
    for (const path of [`/a/${slug}`, `/a/${slug}.zip`]) assert.equal((await page(path)).status, 404, path);
  await service.accounts.update(account.email, { suspended: false });
  assert.equal((await page(`/a/${kept.slug}`)).status, 200);
  assert.equal((await page(`/a/${kept.slug}.tar`)).status, 404);
});

test('the drop page says what the link takes; without script it is a form, which answers with a page', async () => {
  const { body: link } = await call<UploadLink>('POST', '/upload_links', {
    body: { max_files: 2, max_bytes: 2_097_152, title: 'Your <pictures>' },
  });
  const { status, headers, markup } = await page(`/u/${link.token}`);
  assert.equal(status, 200);
  assert.match(
    headers.get('content-security-policy') ?? '',
    /script-src 'self'; connect-src 'self'; form-action 'self'/,
  );
  assert.deepEqual(
    [headers.get('cache-control'), headers.get('referrer-policy')],
    ['no-store', 'no-referrer'],
  );
  assert.match(markup, /Your &#60;pictures&#62;/);
  assert.match(markup, /Up to 2 pictures\s+of at most 2\.0 MB each/);
  assert.match(markup, /<form\s+method="post"\s+enctype="multipart\/form-data"/);
  const submit = (bytes: Buffer) =>
    fetch(`${service.origin}/u/${link.token}`, {
      method: 'POST',
      headers: { accept: 'text/html' },
      body: formOf([[bytes, 'a.png']]),
    });
  const wrong = await submit(Buffer.from('hello'));
  assert.deepEqual([wrong.status, (await wrong.text()).includes('its content is not a PNG')], [415, true]);
  const sent = await submit(await png());
  assert.deepEqual([sent.status, (await sent.text()).includes('has arrived')], [201, true]);
  await submit(await png());
  const used = await page(`/u/${link.token}`);
  assert.deepEqual([used.status, used.markup.includes('has had its 2 files')], [404, true]);
});
