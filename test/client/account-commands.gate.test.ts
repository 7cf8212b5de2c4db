// The commands of `tt` around the account and its links, against a real service.
import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { png } from '#test/support/images.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { createCommandLine, type CommandLine } from './tt.ts';

let service: TestService;
let site: PageServer;
let key: string;
let line: CommandLine;

before(async () => {
  site = await startPageServer({ '/': '<!doctype html><h1>Hello</h1>', '/other': '<!doctype html>other' });
  service = await startService({ EGRESS_ALLOW: site.host });
  ({ key } = await service.newKey({ plan: 'starter' }));
  line = await createCommandLine({ url: service.origin, key });
  await writeFile(join(line.folder, 'a.png'), await png());
  await writeFile(join(line.folder, 'b & "c".png'), await png());
});
after(async () => {
  await line.remove();
  await service.stop();
  await site.close();
});

/** A program of this name, first on the path, that does what the script says. */
async function withProgram(name: string, script: string): Promise<Record<string, string>> {
  const bin = join(line.folder, `bin-${name}`);
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`);
  await chmod(join(bin, name), 0o755);
  return { PATH: `${bin}:${line.environment['PATH']}`, WAYLAND_DISPLAY: 'wayland-0' };
}

async function linesOf(...args: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await line.tt(args);
  assert.equal(code, 0, stderr);
  return stdout.toString().trimEnd().split('\n');
}

test('tt status shows service, key, plan and what is left', async () => {
  const { key: other } = await service.newKey({ plan: 'starter' });
  const environment = { TINTYPE_API_KEY: other };
  await line.tt(['upload', 'a.png'], { environment });
  const { code, stdout, stderr } = await line.tt(['status'], { environment });
  assert.equal(code, 0, stderr);
  const text = stdout.toString();
  assert.match(
    text,
    new RegExp(`^service {3}${service.origin} \\(profile default\\)\nkey {7}.+, for everything`),
  );
  assert.match(text, /^plan {6}Starter$/m);
  assert.match(text, /^uploads {3}9999 of 10000 left this month \(0 % used\)$/m);
  assert.match(text, /^renders {3}2000 of 2000 left this month \(0 % used\), \d+ at once$/m);
  assert.match(text, /^requests {2}\d+ of 120 left, refills in \d+ s$/m);
  const told = await line.tt(['status', '--json'], { environment });
  const { url, units } = JSON.parse(told.stdout.toString()) as {
    url: string;
    units: { upload: { remaining: number } };
  };
  assert.deepEqual([url, units.upload.remaining], [service.origin, 9999]);
});

test('tt upload --direct, --html and --bbcode print the link of the file in that form', async () => {
  const name = 'b & "c".png';
  const [direct] = await linesOf('upload', '--direct', name);
  assert.match(direct ?? '', /^http:\/\/tintype\.test\/f\/\w+$/);
  const [html] = await linesOf('upload', '--html', name);
  assert.match(html ?? '', /^<img src="http:\/\/tintype\.test\/f\/\w+" alt="b &amp; [^"<>]*\.png">$/);
  const [bbcode] = await linesOf('upload', '--bbcode', name);
  assert.match(bbcode ?? '', /^\[img\]http:\/\/tintype\.test\/f\/\w+\[\/img\]$/);
});

test('tt upload --clipboard sends the picture on the clipboard, and says when there is none', async () => {
  const environment = await withProgram('wl-paste', `cat '${join(line.folder, 'a.png')}'`);
  const sent = await line.tt(['upload', '--clipboard', '--json'], { environment });
  assert.equal(sent.code, 0, sent.stderr);
  const upload = JSON.parse(sent.stdout.toString()) as { source: string; filename: string };
  assert.deepEqual([upload.source, upload.filename], ['clipboard', 'clipboard.png']);
  const none = await line.tt(['upload', '--clipboard']);
  assert.equal(none.code, 2);
  assert.match(none.stderr, /no picture on the clipboard/);
});

test('tt list prints uploads and renders, the newest first, over as many pages as asked for', async () => {
  const [first, second] = [await linesOf('upload', 'a.png'), await linesOf('upload', 'b & "c".png')];
  const rows = await linesOf('list', '--limit', '2');
  assert.equal(rows.length, 2);
  assert.match(rows[0] ?? '', /^\w{20} {2} *[\d.]+ KB {2}http\S+ {2}b & .*\.png$/);
  assert.deepEqual(
    rows.map((row) => /http\S+/.exec(row)?.[0]),
    [...second, ...first],
  );
  const all = await linesOf('list', '--limit', '0', '--json', '--search', 'a.png');
  assert.ok(all.every((row) => (JSON.parse(row) as { filename: string }).filename === 'a.png'));
  const [link = ''] = await linesOf('screenshot', '--link', site.base);
  const [render = ''] = await linesOf('list', 'renders');
  assert.ok(render.includes(link) && render.includes(site.base), render);
  assert.equal((await line.tt(['list', 'pictures'])).code, 2);
});

test('tt delete deletes by link or from stdin; gone is exit 4, some gone exit 9, no link exit 2', async () => {
  const links = (await linesOf('upload', '--json', 'a.png', 'b & "c".png')).map(
    (row) => (JSON.parse(row) as { delete_url: string }).delete_url,
  );
  const [first = '', second = ''] = links;
  const deleted = await line.tt(['delete', first]);
  assert.deepEqual([deleted.code, deleted.stdout.toString()], [0, `${first}\n`]);
  const again = await line.tt(['delete', first]);
  assert.equal(again.code, 4);
  assert.match(again.stderr, /\(not_found/);
  const piped = await line.tt(['delete', first, '-'], { input: `${second}\n` });
  assert.deepEqual([piped.code, piped.stdout.toString()], [9, `${second}\n`]);
  const wrong = await line.tt(['delete', 'http://tintype.test/i/abc']);
  assert.equal(wrong.code, 2);
  assert.match(
    wrong.stderr,
    /neither an id, a delete link nor the link of a render: .*; "tt list" shows ids/,
  );
});

test('tt delete deletes a render by the link of its file', async () => {
  for (const command of ['screenshot', 'pdf']) {
    const [link = ''] = await linesOf(command, '--link', site.base);
    const status = async () => (await fetch(service.origin + new URL(link).pathname)).status;
    assert.equal(await status(), 200);
    assert.deepEqual(await linesOf('delete', link), [link]);
    assert.equal(await status(), 404);
  }
});

test('tt upload has the fields of version 2; tt edit, show, delete and restore take the id', async () => {
  const [album = ''] = await linesOf('album', 'create', '--title', 'Sea', '--json');
  const { id: albumId } = JSON.parse(album) as { id: string };
  const fields = ['--title', 'Harbour', '--tag', 'sea', '--tag', 'boats', '--album', albumId];
  const [made = ''] = await linesOf('upload', '--json', ...fields, '--password', 'x', 'a.png');
  const upload = JSON.parse(made) as {
    id: string;
    title: string;
    tags: string[];
    album: string;
    url: string;
  };
  assert.deepEqual([upload.title, upload.tags, upload.album], ['Harbour', ['sea', 'boats'], albumId]);
  assert.deepEqual(await linesOf('list', '--tag', 'boats', '--album', albumId), [
    `${upload.id}     0.1 KB  ${upload.url}  Harbour`,
  ]);
  await linesOf(
    'edit',
    upload.id,
    '--clear',
    'password',
    '--clear',
    'title',
    '--tag',
    'one',
    '--expires-in',
    '7d',
  );
  const [shown = ''] = await linesOf('show', upload.id);
  const { title, tags, expires_at } = JSON.parse(shown) as {
    title: null;
    tags: string[];
    expires_at: string;
  };
  assert.deepEqual([title, tags], [null, ['one']]);
  assert.ok(Math.abs(Date.parse(expires_at) - Date.now() - 7 * 86_400_000) < 60_000);
  assert.deepEqual(await linesOf('delete', upload.id), [upload.id]);
  assert.equal((await line.tt(['show', upload.id])).code, 4);
  assert.deepEqual(await linesOf('restore', upload.id), [upload.url]);
  for (const [args, says] of [
    [['edit', upload.id], /nothing to change/],
    [
      ['edit', upload.id, '--clear', 'filename'],
      /--clear must be title, album, expires-in, password, max-views/,
    ],
    [['album', 'make'], /say what to do: create, edit, show, delete/],
    [['list', 'albums', '--tag', 'x'], /--tag is not for albums/],
  ] as const) {
    const { code, stderr } = await line.tt([...args]);
    assert.equal(code, 2);
    assert.match(stderr, says);
  }
});

test('tt album and tt upload-link make, show and delete', async () => {
  const [url = ''] = await linesOf('album', 'create', '--title', 'Dogs');
  const [row = ''] = await linesOf('list', 'albums', '--limit', '1');
  assert.match(row, new RegExp(`^(\\w+) +0 {2}${url} {2}Dogs$`));
  const [id = ''] = row.split(' ');
  assert.deepEqual(await linesOf('album', 'edit', id, '--title', 'Cats'), [url]);
  assert.equal(
    (JSON.parse((await linesOf('album', 'show', id))[0] ?? '') as { title: string }).title,
    'Cats',
  );
  assert.deepEqual(await linesOf('album', 'delete', id), [id]);
  const [link = ''] = await linesOf('upload-link', 'create', '--max-files', '3', '--json');
  const made = JSON.parse(link) as { id: string; url: string; token: string };
  assert.ok(made.url.endsWith(`/u/${made.token}`));
  assert.match((await linesOf('list', 'upload-links'))[0] ?? '', new RegExp(`^${made.id} +0 of 3 {2}until `));
  assert.deepEqual(await linesOf('upload-link', 'delete', made.id), [made.id]);
});

test('tt open hands a link or the dashboard to the browser, and nothing that is no link', async () => {
  const opened = join(line.folder, 'opened');
  const environment = await withProgram('xdg-open', `printf %s "$1" > '${opened}'`);
  for (const [args, address] of [
    [[], `${service.origin}/dashboard`],
    [['https://example.com/a'], 'https://example.com/a'],
  ] as const) {
    const { code, stdout } = await line.tt(['open', ...args], { environment });
    assert.deepEqual([code, stdout.toString()], [0, `${address}\n`]);
    await waitFor('the browser', async () => (await readFile(opened, 'utf8').catch(() => '')) === address);
  }
  assert.equal((await line.tt(['open', 'file:///etc/passwd'], { environment })).code, 2);
});

test('a profile is a login of its own, goes before the environment, and tt logout forgets it', async () => {
  const own = await createCommandLine(undefined);
  try {
    const login = await own.tt(['login', '--url', service.origin, '--profile', 'work'], { input: key });
    assert.equal(login.code, 0, login.stderr);
    assert.match(login.stderr, /plan Starter, profile work/);
    assert.equal((await own.tt(['status'])).code, 3);
    const environment = { TINTYPE_PROFILE: 'work', TINTYPE_URL: 'http://127.0.0.1:9' };
    const status = await own.tt(['status'], { environment });
    assert.match(status.stdout.toString(), /\(profile work\)/);
    assert.equal((await own.tt(['status', '--profile', '../work'])).code, 2);
    const kept = ['login-other.json', 'notes.txt'];
    for (const name of kept) await writeFile(join(own.folder, 'settings/tintype', name), '{}');
    for (const says of [/logged out of profile work/, /no login in profile work/]) {
      const { code, stderr } = await own.tt(['logout', '--profile', 'work']);
      assert.equal(code, 0);
      assert.match(stderr, says);
    }
    assert.equal((await own.tt(['status', '--profile', 'work'])).code, 3);
    assert.deepEqual((await readdir(join(own.folder, 'settings/tintype'))).toSorted(), kept);
  } finally {
    await own.remove();
  }
});

test('tt watch uploads what appears in a folder, once, and ends with Ctrl-C', async () => {
  const folder = join(line.folder, 'watched');
  await mkdir(folder);
  await writeFile(join(folder, 'before.png'), await png());
  const { child, ended } = line.start(['watch', 'watched', '--interval', '0.1', '--json']);
  let printed = '';
  let told = '';
  child.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (told += chunk.toString()));
  await waitFor('the watch', () => told.includes('watching watched'));
  await writeFile(join(line.folder, 'new.png'), await png());
  await rename(join(line.folder, 'new.png'), join(folder, 'new.png'));
  await writeFile(join(folder, 'notes.txt'), 'not an image');
  await waitFor('the upload', () => printed.includes('\n'));
  child.kill('SIGINT');
  const { code, stdout, stderr } = await ended;
  assert.equal(code, 0, stderr);
  const uploads = stdout.toString().trimEnd().split('\n');
  assert.deepEqual(
    uploads.map((row) => (JSON.parse(row) as { source: string }).source),
    ['watched/new.png'],
  );
});

test('tt pdfs prints every page of a list into a folder, and leaves what is there', async () => {
  await writeFile(
    join(line.folder, 'pages.jsonl'),
    `${JSON.stringify({ url: site.base, name: 'home' })}\n${site.base}/other\n`,
  );
  const { code, stdout, stderr } = await line.tt([
    'pdfs',
    '-f',
    'pages.jsonl',
    '-o',
    'pdfs',
    '--paper-format',
    'a4',
  ]);
  assert.equal(code, 0, stderr);
  const files = stdout.toString().trimEnd().split('\n');
  assert.equal(files.length, 2);
  assert.ok(files.includes('pdfs/home.pdf'));
  for (const file of files)
    assert.equal((await readFile(join(line.folder, file))).subarray(0, 5).toString(), '%PDF-');
  const again = await line.tt(['pdfs', '-f', 'pages.jsonl', '-o', 'pdfs', '--paper-format', 'a4']);
  assert.match(again.stderr, /2 URLs: 0 captured in .* s, 2 there before, 0 failed/);
});
