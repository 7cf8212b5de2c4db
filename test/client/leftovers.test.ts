// What tt deletes in the folders of its user: its own leftovers, and nothing else.
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { picture, startFaultServer, type FaultServer } from './support.ts';
import { createCommandLine, type CommandLine } from './tt.ts';

let server: FaultServer;
let line: CommandLine;

before(async () => {
  server = await startFaultServer();
  server.play(picture);
  line = await createCommandLine({ url: server.origin, key: 'tt_key' });
  await writeFile(join(line.folder, 'pages.jsonl'), '{"url": "https://example.com/", "name": "a.png"}\n');
});
after(async () => {
  await line.remove();
  await server.stop();
});

const args = (folder: string): string[] => ['shots', '-f', 'pages.jsonl', '-o', folder];

test('tt shots removes what a killed run left of its pages, and no parts of other files', async () => {
  const folder = join(line.folder, 'parts');
  await mkdir(folder);
  const others = ['film.mp4.0123abcd.part', 'a.png.part', 'a.png.0123abcd.part.txt', 'notes.txt'];
  for (const name of ['a.png.0123abcd.part', ...others]) {
    await writeFile(join(folder, name), 'half');
    await utimes(join(folder, name), 1, 1);
  }
  const { code, stderr } = await line.tt(args('parts'));
  assert.equal(code, 0, stderr);
  assert.deepEqual((await readdir(folder)).toSorted(), ['a.png', ...others].toSorted());
});

test('a file with the name of the mark of a run is replaced only if it is empty', async () => {
  const folder = join(line.folder, 'marks');
  const file = join(folder, '.tt-run');
  await mkdir(folder);
  await writeFile(file, 'notes');
  const { code, stderr } = await line.tt(args('marks'));
  assert.equal(code, 2);
  assert.match(stderr, /marks\/\.tt-run was not written by tt; move it away/);
  assert.equal(await readFile(file, 'utf8'), 'notes');
  // What a kill leaves between the creation of the file and its content.
  await writeFile(file, '');
  assert.equal((await line.tt(args('marks'))).code, 0);
  assert.deepEqual(await readdir(folder), ['a.png']);
});
