// The MCP server reads and writes only in the folders that it was started with, whatever path the text of a web page asks for.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { link, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, parse } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { root, temporaryFolder } from '#test/support/processes.ts';
import { allowFolders, type AllowedFolders } from '#mcp/allowed-folders.ts';

let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
let folders: AllowedFolders;
const at = (...names: string[]): string => join(temporary.path, ...names);

before(async () => {
  temporary = await temporaryFolder();
  for (const folder of ['inside/sub', 'inside-too', 'outside', 'second'])
    await mkdir(at(folder), { recursive: true });
  await writeFile(at('outside/secret'), 'secret');
  await writeFile(at('inside/a b.png'), 'picture');
  await writeFile(at('inside-too/c.png'), 'neighbour');
  await symlink(at('outside'), at('inside/way-out'));
  await symlink(at('outside/secret'), at('inside/secret.png'));
  await symlink(at('inside/sub'), at('inside/way-in'));
  await symlink(at('inside'), at('other-name'));
  folders = await allowFolders([at('inside'), at('second')], '/');
});
after(() => temporary.remove());

async function read(path: string, allowed = folders): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of allowed.fileAt('path', path).data as AsyncIterable<Uint8Array>)
    chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function write(path: string, allowed = folders): Promise<string> {
  const place = await allowed.placeAt('save_to', path, 'page.png');
  assert.equal(await place.write(Buffer.from('new'), true), true);
  return place.path;
}

test('paths in the folders: relative, absolute, with ~, as a file: address, by a link that stays inside', async () => {
  for (const path of ['a b.png', './sub/../a b.png', at('inside/a b.png')])
    assert.equal(await read(path), 'picture', path);
  assert.equal(await read(pathToFileURL(at('inside/a b.png')).href), 'picture');
  assert.match(pathToFileURL(at('inside/a b.png')).href, /a%20b/);
  assert.equal(await write('way-in/'), at('inside/way-in/page.png'));
  assert.equal(await readFile(at('inside/sub/page.png'), 'utf8'), 'new');
  assert.equal(await write('new/folders/'), at('inside/new/folders/page.png'));
  assert.equal(await write(at('second')), at('second/page.png'));
  assert.equal(await write(`${pathToFileURL(at('second')).href}/%C3%A9.png`), at('second/é.png'));
  assert.deepEqual((await readdir(at('second'))).toSorted(), ['page.png', 'é.png'], 'no part is left');
  const byLink = await allowFolders([at('other-name')], '/');
  assert.equal(await read('a b.png', byLink), 'picture');
  assert.equal(await read(at('inside/a b.png'), byLink), 'picture');
});

test('paths out of the folders are refused, by name and by link, and nothing is written', async () => {
  const outside = [
    '../outside/secret',
    at('outside/secret'),
    at('inside-too/c.png'),
    `${at('inside')}/../outside/secret`,
    pathToFileURL(at('outside/secret')).href,
    '~/secret',
    '/etc/passwd',
    'file:///etc/%70asswd',
  ];
  const says =
    /(path|save_to): \S+ is outside the allowed folders\. This server may use only \S+inside, \S+second\. Choose .* --allow /;
  for (const path of outside) {
    await assert.rejects(read(path), says, path);
    await assert.rejects(write(path), says, path);
  }
  await assert.rejects(read('~/secret'), new RegExp(`path: ${homedir()}/secret is outside`));
  const byLink = /leads out of the allowed folders by a link\. This server may use only/;
  await assert.rejects(read('way-out/secret'), byLink);
  await assert.rejects(read('secret.png'), byLink);
  await assert.rejects(write('way-out/x.png'), byLink);
  await assert.rejects(write('way-out/new/x.png'), byLink);
  await assert.rejects(
    write('secret.png'),
    /save_to: \S+ is a link, a folder or a device, and is not replaced/,
  );
  await assert.rejects(
    read('file://elsewhere/a.png'),
    /path: file:\/\/elsewhere\/a\.png is not the address of a/,
  );
  await assert.rejects(read('file:///a%2Fb.png'), /is not the address of a local file/);
  await assert.rejects(read('a\0b'), /is not the address of a local file/);
  assert.deepEqual(await readdir(at('outside')), ['secret']);
  assert.equal(await readFile(at('outside/secret'), 'utf8'), 'secret');
});

test('only files are read', async () => {
  spawnSync('mkfifo', [at('inside/pipe')]);
  await assert.rejects(read('sub'), /EISDIR|not a file/);
  await assert.rejects(read('pipe'), /not a file/);
  await assert.rejects(read('nowhere.png'), /ENOENT/);
});

test('a file is replaced only if that is asked for, also one that appears meanwhile', async () => {
  const place = await folders.placeAt('save_to', 'kept.png', 'page.png');
  assert.equal(await place.exists(), false);
  await writeFile(at('inside/kept.png'), 'mine');
  assert.equal(await place.exists(), true);
  assert.equal(await place.write(Buffer.from('new'), false), false);
  assert.equal(await readFile(at('inside/kept.png'), 'utf8'), 'mine');
  // The other name of the same file keeps its content.
  await link(at('inside/kept.png'), at('outside/twin'));
  assert.equal(await place.write(Buffer.from('new'), true), true);
  assert.equal(await readFile(at('inside/kept.png'), 'utf8'), 'new');
  assert.equal(await readFile(at('outside/twin'), 'utf8'), 'mine');
  await rm(at('outside/twin'));
});

test('a folder that becomes a link between check and use leads nowhere', async () => {
  await mkdir(at('inside/late'));
  await writeFile(at('inside/late/secret'), 'harmless');
  const file = folders.fileAt('path', 'late/secret').data as AsyncIterable<Uint8Array>;
  const place = await folders.placeAt('save_to', 'late/x.png', 'page.png');
  await rename(at('inside/late'), at('inside/away'));
  await symlink(at('outside'), at('inside/late'));
  const byLink = /leads out of the allowed folders by a link/;
  await assert.rejects(place.write(Buffer.from('new'), true), byLink);
  await assert.rejects(async () => {
    for await (const chunk of file) assert.fail(chunk.toString());
  }, byLink);
  assert.deepEqual(await readdir(at('outside')), ['secret']);
});

test(
  'nor is anything read through one that is swapped all the time',
  { skip: process.platform !== 'linux' },
  async () => {
    await mkdir(at('inside/swapped'));
    await writeFile(at('inside/swapped/secret'), 'harmless');
    const swapper = new Worker(
      `const { renameSync, symlinkSync, unlinkSync } = require('node:fs');
     const { workerData: [folder, aside, outside], parentPort } = require('node:worker_threads');
     let isOver = false;
     parentPort.once('message', () => (isOver = true));
     (function swap() {
       renameSync(folder, aside);
       symlinkSync(outside, folder);
       unlinkSync(folder);
       renameSync(aside, folder);
       if (isOver) parentPort.postMessage('over');
       else setImmediate(swap);
     })();`,
      { eval: true, workerData: [at('inside/swapped'), at('inside/aside'), at('outside')] },
    );
    for (let round = 0; round < 1_000; round += 1) {
      const text = await read('swapped/secret').catch(() => 'refused');
      assert.notEqual(text, 'secret');
    }
    const over = new Promise((resolve) => swapper.once('message', resolve));
    swapper.postMessage('stop', []);
    await over;
    await swapper.terminate();
  },
);

test('the working folder is allowed if none is given, unless it is the root', async () => {
  assert.deepEqual((await allowFolders([], at('inside'))).list, [at('inside')]);
  const none = await allowFolders([], parse(temporary.path).root);
  assert.deepEqual(none.list, []);
  await assert.rejects(read('/etc/passwd', none), /started in the root folder.* Start it with --allow DIR/);
  assert.deepEqual((await allowFolders(['~', 'sub'], at('inside'))).list, [homedir(), at('inside/sub')]);
  await assert.rejects(
    allowFolders(['nowhere'], at('inside')),
    /--allow \S+nowhere: there is no such folder/,
  );
  await assert.rejects(allowFolders(['a b.png'], at('inside')), /there is no such folder/);
});

test('tintype-mcp: help, version, and a folder that does not exist', () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [join(root, 'clients/mcp/src/main.ts'), ...args], {
      encoding: 'utf8',
      input: '',
    });
  assert.match(run('--help').stdout, /--allow DIR {2}a folder/);
  assert.match(run('--version').stdout, /^\d+\.\d+\.\d+\n$/);
  const { status, stderr } = run('--allow', '/nowhere/at/all');
  assert.deepEqual([status, stderr], [2, 'tintype-mcp: --allow /nowhere/at/all: there is no such folder\n']);
  assert.equal(run('--colour').status, 2);
});
