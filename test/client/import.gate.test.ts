// tt import: a folder, an archive and a Zipline export, through the ordinary upload; killed, it goes on.
import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { Tintype } from '#client/index.ts';
import { png, svg } from '#test/support/images.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { createCommandLine, type CommandLine } from './tt.ts';

let service: TestService;
let image: Buffer;

before(async () => {
  service = await startService({ PLANS_FILE: new URL('../fixtures/plans.json', import.meta.url).pathname });
  image = await png();
});
after(() => service.stop());

/** An account and a folder of its own. */
async function newLine(plan?: string): Promise<CommandLine & { client: Tintype } & AsyncDisposable> {
  const { key } = await service.newKey(plan === undefined ? {} : { plan });
  const line = await createCommandLine({ url: service.origin, key });
  const client = new Tintype({ baseUrl: service.origin, apiKey: key });
  return { ...line, client, [Symbol.asyncDispose]: () => line.remove() };
}

async function write(line: CommandLine, name: string, bytes: Buffer | string): Promise<void> {
  const path = join(line.folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes);
}

async function filenamesOf(client: Tintype): Promise<string[]> {
  const names: string[] = [];
  for await (const { filename } of client.uploads.list()) names.push(filename);
  return names.sort((a, b) => (a < b ? -1 : 1));
}

test('a killed import goes on: each file is uploaded once, also one whose line was lost', async () => {
  await using line = await newLine();
  const names = Array.from({ length: 24 }, (_, index) => `${String(index).padStart(2, '0')}.png`);
  for (const name of names) await write(line, `pictures/${name}`, image);

  const { child, ended } = line.start(['import', 'pictures']);
  await new Promise((resolve) => child.stdout?.once('data', resolve));
  child.kill('SIGKILL');
  await ended;
  const state = join(line.folder, 'pictures.import.jsonl');
  const lines = (await readFile(state, 'utf8')).trimEnd().split('\n');
  assert.ok(lines.length > 1 && lines.length <= names.length, `${lines.length} lines`);
  // As if the kill had come between the answer and the line: the next run sends this file again, with the same key.
  const lost = lines.pop() ?? '';
  await writeFile(state, `${lines.join('\n')}\n${lost.slice(0, 20)}`);

  const next = await line.tt(['import', 'pictures']);
  assert.equal(next.code, 0, next.stderr);
  assert.deepEqual(await filenamesOf(line.client), names);
  const { id, url } = JSON.parse(lost) as { id: string; url: string };
  assert.ok(next.stdout.toString().includes(url), 'the answer is the first one');
  assert.equal((await line.client.uploads.get(id)).url, url);

  const again = await line.tt(['import', 'pictures']);
  assert.deepEqual([again.code, again.stdout.length], [0, 0]);
  assert.match(again.stderr, /^tt: 0 imported, 24 were there, 0 failed, 0 to do$/m);
  await write(line, 'pictures/new.png', image);
  const more = await line.tt(['import', 'pictures', '--json', '--tag', 'late']);
  const told = JSON.parse(more.stdout.toString()) as { source: string; tags: string[] };
  assert.deepEqual([told.source, told.tags], ['new.png', ['late']]);
});

test('the sanitizer holds; what fails is tried again', async () => {
  await using line = await newLine();
  await write(line, 'mixed/deep/good.svg', svg('<script>alert(1)</script><text>good</text>'));
  await write(line, 'mixed/bad.png', 'not an image');
  const first = await line.tt(['import', 'mixed', '--state', 'my.state']);
  assert.equal(first.code, 9);
  assert.match(first.stdout.toString(), /^http\S+ {2}deep\/good\.svg\n$/);
  assert.match(first.stderr, /^tt: bad\.png: .*\(unsupported_type\)$/m);
  const [upload] = (await line.client.uploads.list()).items;
  const stored = await line.client.download(upload?.fileUrl ?? '');
  assert.doesNotMatch(new TextDecoder().decode(stored.bytes), /script/);
  await write(line, 'mixed/bad.png', image);
  assert.equal((await line.tt(['import', 'mixed', '--state', 'my.state'])).code, 0);
  assert.deepEqual(await filenamesOf(line.client), ['bad.png', 'good.svg']);
});

test('a state of another service, a state that is none and a source that is none are refused', async () => {
  await using line = await newLine();
  await write(line, 'some/a.png', image);
  await write(
    line,
    'other.state',
    '{"service":"https://elsewhere.test","salt":"x","started_at":"2026-01-01"}\n',
  );
  const cases: [args: string[], says: RegExp][] = [
    [['some', '--state', 'other.state'], /is of an import to https:\/\/elsewhere\.test/],
    [['some', '--state', 'some/a.png'], /is not the state of an import/],
    [['some/a.png'], /it is no ZIP archive/],
    [['some', '--zipline', 'other.state'], /is not the export of a Zipline 4 server/],
  ];
  for (const [args, says] of cases) {
    const { code, stderr } = await line.tt(['import', ...args]);
    assert.equal(code, 2, stderr);
    assert.match(stderr, says);
  }
});

test('a Zipline export: names, tags, folders, expiry and views are kept; passwords are not lost silently', async () => {
  await using line = await newLine();
  const names = ['aB3.svg', 'cD4.svg', 'eF5.svg', 'gH6.svg', 'iJ7.svg', 'kL8.svg', 'clip.mp4'];
  await write(line, 'zexport.zip', zipOf(names));
  const file = (id: string, name: string, more: object) => ({ id, name, userId: 'u1', views: 0, ...more });
  const soon = new Date(Date.now() + 10 * 86_400_000).toISOString();
  const data = {
    users: [
      { id: 'u1', username: 'ann' },
      { id: 'u2', username: 'bob' },
    ],
    folders: [{ id: 'f1', name: 'Holidays', files: ['1', '2'] }],
    userTags: [{ name: 'sea', files: ['1', '3'] }],
    files: [
      file('1', 'aB3.svg', { originalName: 'beach.svg', folderId: 'f1' }),
      file('2', 'cD4.svg', { folderId: 'f1', views: 2, maxViews: 5 }),
      file('3', 'eF5.svg', { deletesAt: soon }),
      file('4', 'gH6.svg', { password: '$argon2id$v=19$x' }),
      file('5', 'iJ7.svg', { deletesAt: '2024-01-01T00:00:00.000Z' }),
      file('6', 'kL8.svg', { userId: 'u2' }),
    ],
  };
  await write(line, 'server.json', JSON.stringify({ versions: { export: '4' }, data }));

  const unclear = await line.tt(['import', 'zexport.zip', '--zipline', 'server.json']);
  assert.equal(unclear.code, 2);
  assert.match(unclear.stderr, /there are files of ann, bob; choose one with --user/);
  const args = ['import', 'zexport.zip', '--zipline', 'server.json', '--user', 'ann'];
  const { code, stderr } = await line.tt(args);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /left out, has a password; --password gives it one: 1 \(gH6\.svg\)/);
  assert.match(stderr, /left out, expired or seen as often as allowed: 1 \(iJ7\.svg\)/);
  assert.match(stderr, /left out, not in the export: 1 \(kL8\.svg\)/);
  assert.match(stderr, /left out, no image: 1 \(clip\.mp4\)/);

  const [album] = (await line.client.albums.list()).items;
  assert.deepEqual([album?.title, album?.count], ['Holidays', 2]);
  const { items } = await line.client.uploads.list();
  const of = (filename: string) => items.find((upload) => upload.filename === filename);
  assert.deepEqual(
    [items.length, of('beach.svg')?.tags, of('beach.svg')?.album, of('cD4.svg')?.album],
    [3, ['sea'], album?.id, album?.id],
  );
  assert.ok(Math.abs(Date.parse(of('eF5.svg')?.expiresAt ?? '') - Date.parse(soon)) < 60_000);
  // Its limit of views makes it a link that asks before it shows.
  await assert.rejects(line.client.download(of('cD4.svg')?.fileUrl ?? ''));

  const locked = await line.tt([...args, '--password', 'new secret']);
  assert.equal(locked.code, 0, locked.stderr);
  assert.match(locked.stdout.toString(), /^http\S+ {2}gH6\.svg\n$/);
  assert.equal((await line.client.albums.list()).items.length, 1);
});

test('a used-up quota ends the import with exit 5, and the same command goes on with the rest', async () => {
  await using line = await newLine('two-uploads');
  const names = ['1.svg', '2.svg', '3.svg', '4.svg', '5.svg'];
  for (const name of names) await write(line, `few/${name}`, svg(`<text>${name}</text>`));
  const { code, stdout, stderr } = await line.tt(['import', 'few']);
  assert.equal(code, 5, stderr);
  const { used, limit } = (await line.client.getUsage()).upload;
  assert.equal(used, limit);
  assert.equal(stdout.toString().trimEnd().split('\n').length, limit);
  assert.match(stderr, new RegExp(`^tt: ${limit} imported, 0 were there`, 'm'));
});

/** As Zipline's archives are: packed, sizes after the data. The first file has its sizes in the ZIP64 form. */
function zipOf(names: string[]): Buffer {
  const parts: Buffer[] = [];
  const list: Buffer[] = [];
  let at = 0;
  for (const [index, name] of names.entries()) {
    const bytes = svg(`<text>${name}</text>`);
    const packed = deflateRawSync(bytes);
    const head = Buffer.alloc(30);
    head.writeUInt32LE(0x04034b50, 0);
    head.writeUInt16LE(8, 6);
    head.writeUInt16LE(8, 8);
    head.writeUInt16LE(name.length, 26);
    const row = Buffer.alloc(46);
    row.writeUInt32LE(0x02014b50, 0);
    row.writeUInt16LE(8, 8);
    row.writeUInt16LE(8, 10);
    row.writeUInt16LE(name.length, 28);
    const isLarge = index === 0;
    const extra = Buffer.alloc(isLarge ? 28 : 0);
    const sizes = [packed.length, bytes.length, at];
    if (isLarge) {
      extra.writeUInt16LE(1, 0);
      extra.writeUInt16LE(24, 2);
      extra.writeBigUInt64LE(BigInt(bytes.length), 4);
      extra.writeBigUInt64LE(BigInt(packed.length), 12);
      extra.writeBigUInt64LE(BigInt(at), 20);
    }
    for (const [place, size] of [20, 24, 42].map((field, turn) => [field, sizes[turn] ?? 0] as const))
      row.writeUInt32LE(isLarge ? 0xffffffff : size, place);
    row.writeUInt16LE(extra.length, 30);
    const after = Buffer.alloc(16);
    after.writeUInt32LE(0x08074b50, 0);
    parts.push(head, Buffer.from(name), packed, after);
    list.push(row, Buffer.from(name), extra);
    at += head.length + name.length + packed.length + after.length;
  }
  const listed = Buffer.concat(list);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, listed, end]);
}
