// `tt` against a real service and real pages: what it prints, where, and how it exits.
import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { exitCodeOf, exitCodes } from '#cli/exit-codes.ts';
import { TintypeError, type ErrorCode } from '#client/index.ts';
import { contractErrors } from '#test/support/contract.ts';
import { patternOf } from '#cli/find-files.ts';
import { barOf } from '#cli/progress-bar.ts';
import { jpeg, png, svg } from '#test/support/images.ts';
import { root } from '#test/support/processes.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { lacks } from './support.ts';
import { createCommandLine, ttFile, type CommandLine } from './tt.ts';

const run = promisify(execFile);

let service: TestService;
let site: PageServer;
let key: string;
let line: CommandLine;

before(async () => {
  site = await startPageServer({ '/': '<!doctype html><body style="background:#fc0"><h1>Hello</h1>' });
  service = await startService({ EGRESS_ALLOW: site.host });
  ({ key } = await service.newKey());
  line = await createCommandLine({ url: service.origin, key });
  await mkdir(join(line.folder, 'photos/deep/.hidden'), { recursive: true });
  await writeFile(join(line.folder, 'photos/b.png'), await png());
  await writeFile(join(line.folder, 'photos/deep/a.jpg'), await jpeg());
  await writeFile(join(line.folder, 'photos/deep/.hidden/c.png'), await png());
  await writeFile(join(line.folder, 'photos/notes.txt'), 'not an image');
});
after(async () => {
  await line.remove();
  await service.stop();
  await site.close();
});

test('tt upload prints one link per file, in order, and nothing else on stdout', async () => {
  const { code, stdout, stderr } = await line.tt(
    ['upload', 'photos', 'photos/*.png', '-', '--name', 'in.svg'],
    {
      input: svg(),
    },
  );
  assert.deepEqual([code, stderr], [0, '']);
  const links = stdout.toString().trimEnd().split('\n');
  assert.equal(links.length, 4);
  for (const link of links) assert.match(link, /^http:\/\/tintype\.test\/i\/\w{10,}$/);
});

test('tt upload --json tells each file as the API does; a failure among them exits 9', async () => {
  const { code, stdout, stderr } = await line.tt([
    'upload',
    '--json',
    '--expires-in',
    '2h',
    'photos/b.png',
    'photos/notes.txt',
  ]);
  const [stored, refused] = stdout
    .toString()
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text) as Record<string, unknown>);
  assert.equal(code, 9);
  assert.equal(stored?.['source'], 'photos/b.png');
  assert.match(String(stored?.['delete_url']), /\/api\/uploads\/\w+\/delete\?token=/);
  assert.ok(Math.abs(Date.parse(String(stored?.['expires_at'])) - Date.now() - 7_200_000) < 60_000);
  assert.deepEqual(Object.keys(refused ?? {}), ['source', 'error']);
  assert.equal((refused?.['error'] as { code: string } | undefined)?.code, 'unsupported_type');
  assert.match(stderr, /^tt: photos\/notes\.txt: .*\(unsupported_type\)\n$/);
});

test('tt upload: a file that cannot be read is told of, the others are sent, exit 9', async () => {
  const folder = join(line.folder, 'some');
  await mkdir(folder);
  for (let index = 0; index < 12; index += 1) {
    const path = join(folder, `${String(index).padStart(2, '0')}.png`);
    await (index === 5 ? symlink('nowhere', path) : writeFile(path, await png()));
  }
  const { code, stdout, stderr } = await line.tt(['upload', 'some', 'nope.png']);
  assert.equal(code, 9, stderr);
  assert.equal(stdout.toString().trimEnd().split('\n').length, 11);
  assert.match(
    stderr,
    /^tt: some\/05\.png: cannot read .*\(unreadable_file\)\ntt: nope\.png: .*\(unreadable_file\)\n$/,
  );
});

test('tt upload --markdown links the file, and --copy puts it on the clipboard', async () => {
  const bin = join(line.folder, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'wl-copy'), '#!/bin/sh\ncat > "$CLIPBOARD"\n');
  await chmod(join(bin, 'wl-copy'), 0o755);
  const clipboard = join(line.folder, 'clipboard');
  const { code, stdout, stderr } = await line.tt(['upload', '--markdown', '--copy', 'photos/b.png'], {
    environment: {
      PATH: `${bin}:${line.environment['PATH']}`,
      WAYLAND_DISPLAY: 'wayland-0',
      CLIPBOARD: clipboard,
    },
  });
  assert.equal(code, 0);
  assert.match(stdout.toString(), /^!\[b\.png\]\(http:\/\/tintype\.test\/f\/\w+\)\n$/);
  assert.equal(`${await readFile(clipboard, 'utf8')}\n`, stdout.toString());
  assert.equal(stderr, 'tt: copied to the clipboard\n');
});

test('tt screenshot writes the picture to a file, whose ending tells the format, or to stdout', async () => {
  const named = await line.tt([
    'screenshot',
    site.base,
    '-o',
    'out/page.webp',
    '--width',
    '400',
    '--height',
    '320',
  ]);
  assert.deepEqual([named.code, named.stdout.toString(), named.stderr], [0, 'out/page.webp\n', '']);
  const { format, width, height } = await sharp(join(line.folder, 'out/page.webp')).metadata();
  assert.deepEqual([format, width, height], ['webp', 400, 320]);

  const piped = await line.tt(['screenshot', site.base, '--format', 'jpeg', '--width', '400']);
  assert.equal(piped.code, 0, piped.stderr);
  assert.equal((await sharp(piped.stdout).metadata()).format, 'jpeg');
});

test('tt screenshot --json and --link keep the picture on the service', async () => {
  const told = await line.tt(['screenshot', '--json', '--full-page', site.base]);
  const metadata = JSON.parse(told.stdout.toString()) as Record<string, unknown>;
  assert.equal(metadata['full_page'], true);
  const { stdout } = await line.tt(['screenshot', '--link', site.base]);
  assert.match(stdout.toString(), /^http:\/\/tintype\.test\/s\/\w+\n$/);
});

test('tt pdf prints with every option of the contract', async () => {
  const { code, stdout, stderr } = await line.tt([
    'pdf',
    '--json',
    '--paper-format',
    'a4',
    '--landscape',
    '--no-print-background',
    '--prefer-css-page-size',
    '--scale',
    '0.5',
    '--margin',
    '1cm 20 0',
    '--width',
    '800',
    '--wait-until',
    'load',
    '--delay-ms',
    '5',
    site.base,
  ]);
  assert.deepEqual([code, stderr], [0, '']);
  const { id, url, duration_ms, size_bytes, ...used } = JSON.parse(stdout.toString()) as Record<
    string,
    unknown
  >;
  assert.ok(id && url && duration_ms && size_bytes);
  assert.deepEqual(used, {
    paper_format: 'a4',
    landscape: true,
    print_background: false,
    prefer_css_page_size: true,
    scale: 0.5,
    margin: { top: '1cm', right: 20, bottom: 0, left: 20 },
    viewport: { width: 800, height: 900 },
    wait_until: 'load',
    delay_ms: 5,
  });
  const file = await line.tt(['pdf', site.base, '-o', 'page.pdf']);
  assert.equal(file.stdout.toString(), 'page.pdf\n');
  assert.equal((await readFile(join(line.folder, 'page.pdf'))).subarray(0, 5).toString(), '%PDF-');
});

test('tt login tries the key and keeps it for its owner alone', async () => {
  const own = await createCommandLine(undefined);
  try {
    const refused = await own.tt(['login', '--url', service.origin], { input: 'tt_wrong' });
    assert.equal(refused.code, 3);
    assert.match(refused.stderr, /\(unauthorized, request /);
    const { code, stdout, stderr } = await own.tt(['login', '--url', `${service.origin}/`], {
      input: `${key}\n`,
    });
    assert.equal(code, 0, stderr);
    const file = stdout.toString().trim();
    assert.equal(((await stat(file)).mode & 0o777).toString(8), '600');
    assert.equal(((await stat(join(file, '..'))).mode & 0o777).toString(8), '700');
    assert.equal((await own.tt(['status'])).code, 0);
    // The kept key goes to the kept address and to no other.
    const elsewhere = await own.tt(['status'], { environment: { TINTYPE_URL: 'http://127.0.0.1:9' } });
    assert.deepEqual([elsewhere.code, elsewhere.stdout.length], [3, 0]);
  } finally {
    await own.remove();
  }
});

/** On a terminal of its own: types the key when asked, and prints all that the terminal showed. */
const terminal = `
import os, pty, sys
child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
shown, typed = b"", False
while True:
    try:
        chunk = os.read(terminal, 4096)
    except OSError:
        break
    if not chunk:
        break
    shown += chunk
    if sys.argv[1] and not typed and b"key: " in shown:
        os.write(terminal, sys.argv[1].encode() + b"\\r")
        typed = True
sys.stdout.buffer.write(shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))`;

test('on a terminal: the key is asked for and not shown, an upload has its bar', async (context) => {
  if (lacks('python3', context)) return;
  const own = await createCommandLine(undefined);
  try {
    const env = own.environment;
    const show = (typed: string, ...args: string[]) =>
      run('python3', ['-c', terminal, typed, process.execPath, ttFile, ...args], {
        cwd: line.folder,
        env,
      });
    const { stdout: asked } = await show(key, 'login', '--url', service.origin);
    assert.match(asked, /^API key: \r\ntt: logged in to /);
    assert.ok(!asked.includes(key));
    const { stdout: shown } = await show('', 'upload', 'photos/b.png');
    assert.match(shown, /█{24} 100 % {2}[\d.]+ KB of [\d.]+ KB[^]*http:\/\/tintype\.test\/i\/\w+\r\n/);
  } finally {
    await own.remove();
  }
});

const exits: {
  title: string;
  args: string[];
  code: number;
  says: RegExp;
  environment?: Record<string, string>;
}[] = [
  { title: 'no command', args: [], code: 2, says: /^Usage: tt COMMAND/ },
  {
    title: 'an unknown command',
    args: ['publish'],
    code: 2,
    says: /unknown command "publish"; the commands are login, .*, upload, .*, completion$/m,
  },
  { title: 'a command like another', args: ['upltod'], code: 2, says: /"upltod"; did you mean upload\?/ },
  {
    title: 'an option like another',
    args: ['screenshot', '--widht', '400', 'x.test'],
    code: 2,
    says: /^tt: unknown option --widht; did you mean --width\?; see/,
  },
  { title: 'retries that are none', args: ['list', '--retries', '-1'], code: 2, says: /--retries/ },
  { title: 'no time at all', args: ['list', '--timeout', '0'], code: 2, says: /--timeout must be more/ },
  {
    title: 'an authority that is none',
    args: ['list', '--cacert', 'photos/notes.txt'],
    code: 2,
    says: /PEM/,
  },
  { title: 'an unknown option', args: ['upload', '--fast', 'a'], code: 2, says: /Unknown option '--fast'/ },
  {
    title: 'two forms of output',
    args: ['upload', '--json', '--markdown', 'a'],
    code: 2,
    says: /give one of/,
  },
  { title: 'a name for a file', args: ['upload', '--name', 'a', 'photos'], code: 2, says: /--name is for/ },
  { title: 'no file', args: ['upload'], code: 2, says: /no files/ },
  {
    title: 'a missing file',
    args: ['upload', 'nope.png'],
    code: 2,
    says: /cannot read nope\.png: ENOENT: no such file/,
  },
  { title: 'a pattern without a match', args: ['upload', '*.gif'], code: 2, says: /nothing matches \*\.gif/ },
  {
    title: 'a wrong duration',
    args: ['upload', '--expires-in', '1w', 'photos'],
    code: 2,
    says: /--expires-in/,
  },
  { title: 'a key on the command line', args: ['login', 'tt_secret'], code: 2, says: /^(?!.*tt_secret)/ },
  { title: 'a wrong number', args: ['screenshot', '--width', 'wide', 'x.test'], code: 2, says: /--width/ },
  { title: 'no list', args: ['shots', '-o', 'x'], code: 2, says: /needs -f FILE and -o DIR/ },
  {
    title: 'a refused key',
    args: ['upload', 'photos'],
    code: 3,
    says: /\(unauthorized, request /,
    environment: { TINTYPE_API_KEY: 'tt_no' },
  },
  {
    title: 'an image that is none',
    args: ['upload', 'photos/notes.txt'],
    code: 4,
    says: /\(unsupported_type\)/,
  },
  {
    title: 'a private address',
    args: ['screenshot', 'http://10.0.0.1/'],
    code: 4,
    says: /url: .*\(validation_error/,
  },
  {
    title: 'a service that is not there',
    args: ['status'],
    code: 8,
    says: /cannot reach http:\/\/127\.0\.0\.1:9/,
    environment: { TINTYPE_URL: 'http://127.0.0.1:9' },
  },
];

for (const { title, args, code, says, environment } of exits) {
  test(`exit ${code}: ${title}`, async () => {
    const ended = await line.tt(args, { ...(environment && { environment }) });
    assert.equal(ended.code, code, ended.stderr);
    assert.equal(ended.stdout.length, 0);
    assert.match(ended.stderr, says);
  });
}

test('tt help COMMAND, -v and version', async () => {
  const [asked, same] = [await line.tt(['help', 'upload']), await line.tt(['upload', '--help'])];
  assert.deepEqual([asked.code, asked.stdout.toString()], [0, same.stdout.toString()]);
  for (const name of ['-v', 'version', '--version']) {
    const { code, stdout } = await line.tt([name]);
    assert.equal(code, 0);
    assert.match(stdout.toString(), /^\d+\.\d+\.\d+\n$/);
  }
});

test('tt upload --copy says when there is no clipboard', async () => {
  const { code, stderr } = await line.tt(['upload', '--copy', 'photos/b.png']);
  assert.deepEqual([code, stderr], [0, 'tt: not copied: no clipboard was found\n']);
});

test('every command has a --help with examples, on stdout, in 80 columns', async () => {
  const { stdout: general } = await line.tt(['--help']);
  const names = general
    .toString()
    .split('\n')
    .flatMap((row) => /^ {2}([a-z][a-z-]+) {2,}[A-Z]/.exec(row)?.[1] ?? []);
  assert.equal(names.length, 21, names.join(' '));
  const pages = [general.toString()];
  for (const command of names) {
    const { code, stdout, stderr } = await line.tt([command, '--help']);
    assert.deepEqual([code, stderr], [0, ''], command);
    assert.match(stdout.toString(), new RegExp(`^Usage: tt ${command}[^]*\nExamples:\n  .*(tt|tintype)`));
    pages.push(stdout.toString());
  }
  const wide = pages.flatMap((page) => page.split('\n')).filter((row) => row.length > 80);
  assert.deepEqual(wide, []);
});

test('patterns that the shell left alone', () => {
  const cases: [pattern: string, matching: string[], others: string[]][] = [
    ['*.png', ['a.png'], ['a/b.png', 'a.pngx', 'apng']],
    ['shots/**/*.png', ['shots/a.png', 'shots/x/y/a.png'], ['shots.png', 'a.png']],
    ['**', ['a', 'a/b'], []],
    ['a?.{png,jp*g}', ['ab.png', 'ab.jpeg'], ['a.png', 'ab.gif']],
    ['[a-c]+(1).svg', ['b+(1).svg'], ['d+(1).svg', 'b1.svg']],
    ['[!a].svg', ['b.svg'], ['a.svg']],
    ['./x/*', ['x/a'], ['y/a']],
  ];
  for (const [pattern, matching, others] of cases) {
    const expression = patternOf(pattern);
    assert.deepEqual(
      [...matching, ...others].filter((path) => expression.test(path)),
      matching,
      pattern,
    );
  }
});

test('the bar of progress', () => {
  const MiB = 1024 * 1024;
  assert.equal(
    barOf({ sentBytes: MiB, totalBytes: 4 * MiB }),
    '██████░░░░░░░░░░░░░░░░░░ 25 %  1.0 MB of 4.0 MB',
  );
  assert.equal(barOf({ sentBytes: MiB, totalBytes: undefined }), '1.0 MB');
  assert.match(barOf({ sentBytes: 512, totalBytes: 1024 }), / 50 % {2}0\.5 KB of 1\.0 KB$/);
});

test('every error of the service has an exit code', () => {
  const byStatus: Record<number, number> = { 401: 3, 402: 5, 429: 6, 500: 8, 502: 7 };
  for (const { code, status } of contractErrors) {
    assert.equal(exitCodeOf(new TintypeError(code as ErrorCode, 'm')), byStatus[status] ?? 4, code);
  }
  assert.equal(exitCodeOf(new TintypeError('timeout', 'm')), 8);
  assert.equal(exitCodeOf(new TintypeError('unreadable_file', 'm')), 2);
  assert.equal(exitCodeOf(new Error('m')), 1);
});

test('every exit code is in the guide, and no other', async () => {
  const guide = await readFile(join(root, 'docs/tools/tt.md'), 'utf8');
  const table = guide.slice(guide.indexOf('| exit code |'));
  const codes = [...table.matchAll(/^\| (\d+) \|/gm)].map((match) => Number(match[1]));
  assert.deepEqual(
    codes,
    Object.values(exitCodes).sort((a, b) => a - b),
  );
});
