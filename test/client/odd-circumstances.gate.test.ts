// What a machine has in store for `tt`: strange files, full disks, closed pipes, broken settings, two runs in one folder.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { proxyFetch } from '#shared/proxy.ts';
import { png } from '#test/support/images.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { json, picture, startFaultServer, type FaultServer } from './support.ts';
import { createCommandLine, ttFile, type CommandLine } from './tt.ts';

let service: TestService;
let server: FaultServer;
let line: CommandLine;
let misled: CommandLine;
let image: Buffer;

before(async () => {
  [service, server, image] = await Promise.all([startService(), startFaultServer(), png()]);
  const { key } = await service.newKey();
  line = await createCommandLine({ url: service.origin, key });
  misled = await createCommandLine({ url: server.origin, key: 'tt_key' });
  await writeFile(join(misled.folder, 'a.png'), image);
});
after(async () => {
  await Promise.all([line.remove(), misled.remove()]);
  await server.stop();
  await service.stop();
});

/** With the shell's redirections. */
function shell({ folder, environment }: CommandLine, script: string, extra: Record<string, string> = {}) {
  const child = spawn('sh', ['-c', script.replaceAll(/\btt /g, `'${process.execPath}' '${ttFile}' `)], {
    cwd: folder,
    env: { ...environment, ...extra },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}

describe('files', () => {
  before(async () => {
    const names = ['plain.png', '-dash.png', 'a\nb.png', 'zażółć 😀 "x".png', 'folder/inner.png'];
    await mkdir(join(line.folder, 'folder/deep'), { recursive: true });
    for (const name of names) await writeFile(join(line.folder, name), image);
    await symlink('plain.png', join(line.folder, 'link.png'));
    await symlink('loop.png', join(line.folder, 'loop.png'));
    await symlink('..', join(line.folder, 'folder/deep/up'));
    await writeFile(join(line.folder, 'empty.png'), '');
    spawnSync('mkfifo', [join(line.folder, 'pipe.png')]);
  });

  test('every name is taken: a dash, a newline, an emoji, a link, a fifo; a link loop fails by itself', async () => {
    const { code, stdout, stderr } = await shell(
      line,
      `cat plain.png > pipe.png & tt upload --json pipe.png link.png 'a
b.png' 'zażółć 😀 "x".png' loop.png empty.png -- -dash.png`,
    );
    const outcomes = stdout
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text) as { source: string; filename?: string; error?: { code: string } });
    assert.deepEqual(
      outcomes.map(({ source, filename, error }) => [source, filename ?? error?.code]),
      [
        ['pipe.png', 'pipe.png'],
        ['link.png', 'link.png'],
        ['a\nb.png', outcomes[2]?.filename],
        ['zażółć 😀 "x".png', outcomes[3]?.filename],
        ['loop.png', 'unreadable_file'],
        ['empty.png', 'unsupported_type'],
        ['-dash.png', '-dash.png'],
      ],
    );
    assert.ok(outcomes[2]?.filename && outcomes[3]?.filename?.startsWith('zażółć 😀'));
    assert.match(stderr, /loop\.png: cannot read loop\.png: ELOOP/);
    assert.equal(code, 9);
  });

  test('a folder that is linked into itself is read once', async () => {
    const { code, stdout } = await line.tt(['upload', '--json', 'folder']);
    assert.deepEqual(
      [code, stdout.toString().match(/"source":"[^"]+"/g)],
      [0, ['"source":"folder/inner.png"']],
    );
  });

  test('a name that begins with a dash needs --, and the message says so', async () => {
    const { code, stderr } = await line.tt(['upload', '-dash.png']);
    assert.equal(code, 2);
    assert.match(stderr, /Unknown option '-d'; a name that begins with - goes after --/);
  });
});

describe('output', () => {
  test('a full disk is said with the file, and with stdout', async () => {
    server.play(picture);
    const named = await shell(misled, 'tt screenshot example.com -o /dev/full');
    assert.equal(named.code, 1);
    assert.match(named.stderr, /cannot write \/dev\/full: ENOSPC/);
    const piped = await shell(misled, 'tt screenshot example.com > /dev/full');
    assert.equal(piped.code, 1);
    assert.match(piped.stderr, /cannot write to stdout: .*ENOSPC|cannot write to stdout: .*no space/i);
  });

  test('stdout that is closed early is no failure, and messages that nobody reads stop nothing', async () => {
    server.play(picture);
    const early = await shell(misled, '(tt screenshot example.com; echo "ended $?" >&2) | true');
    assert.match(early.stderr, /ended 0/);
    server.play(json(201, { id: 'up1', url: 'http://x.test/i/a' }));
    const unheard = await shell(misled, 'tt upload a.png missing.png 2> /dev/full');
    assert.equal(unheard.code, 9);
  });

  test('tt shots into what is no folder spends nothing', async () => {
    server.play(picture);
    await writeFile(join(misled.folder, 'urls.txt'), 'example.com\n');
    const { code, stderr } = await misled.tt(['shots', '-f', 'urls.txt', '-o', 'a.png']);
    assert.equal(code, 2);
    assert.match(stderr, /cannot write to a\.png: EEXIST|cannot write to a\.png: ENOTDIR/);
    assert.equal(server.seen.length, 0);
  });

  test('two runs in one folder at once use the same keys and leave whole files only', async () => {
    server.play(picture);
    const urls = Array.from({ length: 12 }, (_, index) => `https://example.com/${index}`);
    await writeFile(join(misled.folder, 'many.txt'), urls.join('\n'));
    await mkdir(join(misled.folder, 'both'));
    const runs = await Promise.all([1, 2].map(() => misled.tt(['shots', '-f', 'many.txt', '-o', 'both'])));
    assert.deepEqual(
      runs.map(({ code }) => code),
      [0, 0],
      runs.map(({ stderr }) => stderr).join('\n'),
    );
    const keys = new Set(server.seen.map(({ idempotencyKey }) => idempotencyKey));
    assert.equal(keys.size, urls.length);
    const names = await readdir(join(misled.folder, 'both'));
    assert.deepEqual(
      names.filter((name) => !name.endsWith('.png')),
      [],
    );
    assert.equal(names.length, urls.length);
  });
});

describe('settings', () => {
  const without = { TINTYPE_URL: '', TINTYPE_API_KEY: '' };

  test('a login that cannot be read is named, and not read where the environment has everything', async () => {
    const home = join(misled.folder, 'odd');
    await mkdir(join(home, 'tintype/login.json'), { recursive: true });
    const environment = { XDG_CONFIG_HOME: home };
    const { code, stderr } = await misled.tt(['status'], { environment: { ...environment, ...without } });
    assert.equal(code, 2);
    assert.match(stderr, /cannot read .*login\.json: EISDIR/);
    server.play(json(201, { id: 'up1', url: 'http://x.test/i/a' }));
    assert.equal((await misled.tt(['upload', 'a.png'], { environment })).code, 0);
  });

  test('a damaged login, and a home that cannot be written', async () => {
    await mkdir(join(misled.folder, 'torn/tintype'), { recursive: true });
    await writeFile(join(misled.folder, 'torn/tintype/login.json'), '{"url": "htt');
    const torn = await misled.tt(['status'], {
      environment: { ...without, XDG_CONFIG_HOME: join(misled.folder, 'torn') },
    });
    assert.match(torn.stderr, /login\.json is damaged; run "tt login" again/);
    server.play(json(200, { month: '2026-11', plan: { name: 'Free' } }));
    const { code, stderr } = await misled.tt(['login', '--url', server.origin], {
      input: 'tt_key',
      environment: { ...without, XDG_CONFIG_HOME: '/dev/null' },
    });
    assert.equal(code, 2);
    assert.match(stderr, /cannot write \/dev\/null\/tintype\/login\.json: ENOTDIR.*TINTYPE_API_KEY/);
  });

  test('a key with a newline and an address with a query are refused by the name of the variable', async () => {
    const key = await misled.tt(['status'], { environment: { TINTYPE_API_KEY: 'tt_key\n' } });
    assert.deepEqual([key.code, key.stderr.includes('TINTYPE_API_KEY')], [2, true]);
    const address = await misled.tt(['status'], { environment: { TINTYPE_URL: `${server.origin}/?a=b` } });
    assert.equal(address.code, 2);
    assert.match(address.stderr, /TINTYPE_URL must not contain \? or #/);
  });

  test('an address may have a path and a slash at its end, and may be IPv6', async () => {
    server.play(json(201, { id: 'up1', url: 'http://x.test/i/a' }));
    const { code } = await misled.tt(['upload', 'a.png'], {
      environment: { TINTYPE_URL: `${server.origin}/tintype/` },
    });
    assert.deepEqual([code, server.seen[0]?.url], [0, '/tintype/api/v2/uploads']);
    const six = createServer((request, response) => {
      request.resume().once('end', () => {
        response
          .writeHead(201, { 'content-type': 'application/json' })
          .end('{"id": "up1", "url": "http://x.test/i/a"}');
      });
    });
    await new Promise<void>((resolve) => six.listen(0, '::1', resolve));
    const { port } = six.address() as AddressInfo;
    const over6 = await misled.tt(['upload', 'a.png'], {
      environment: { TINTYPE_URL: `http://[::1]:${port}` },
    });
    six.close();
    assert.equal(over6.code, 0, over6.stderr);
  });
});

test('NO_PROXY: which addresses go without the proxy', () => {
  const goesAlone = (url: string, list: string): boolean =>
    proxyFetch(url, { HTTP_PROXY: 'http://proxy:1', HTTPS_PROXY: 'http://proxy:1', NO_PROXY: list }) ===
    undefined;
  const cases: [string, string, boolean][] = [
    ['http://images.example.com', 'example.com', true],
    ['http://images.example.com', '.example.com', true],
    ['http://images.example.com', '*.example.com', true],
    ['http://badexample.com', 'example.com', false],
    ['http://images.example.com', 'other.com, EXAMPLE.com', true],
    ['http://images.example.com', '*', true],
    ['https://images.example.com', 'images.example.com:443', true],
    ['http://images.example.com', 'images.example.com:80', true],
    ['https://images.example.com', 'images.example.com:8443', false],
    ['http://[::1]:3000', '::1', true],
    ['http://[::1]:3000', '[::1]', true],
    ['http://[::1]:3000', '[::1]:3000', true],
    ['http://[::1]:3000', '[::1]:3001', false],
    ['http://127.0.0.1:3000', '127.0.0.1', true],
    ['http://127.0.0.1:3000', '', false],
  ];
  for (const [url, list, expected] of cases) assert.equal(goesAlone(url, list), expected, `${url} ${list}`);
});
