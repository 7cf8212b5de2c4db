// Enforces the structure of ARCHITECTURE.md: a room imports only rooms to its left, and some things live in one place each.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { test } from 'node:test';
import { programs } from '#core/programs.ts';

const rooms = [
  'core',
  'wall',
  'cell',
  'storage',
  'browser',
  'accounts',
  'delivery',
  'metering',
  'uploads',
  'renders',
  'http',
  'api',
  'site',
  'console',
  'server',
];
/** Those of the network: they speak HTTP. */
const httpRooms = rooms.slice(rooms.indexOf('http'));
/** The folders inside browser/, in the same order. Its own files are above them, except these, which all may import. */
const browserFolders = ['install', 'process', 'pdf', 'page', 'worker'];
/** Those inside browser/page/. Its own files, which say what a page is, are `.`. */
const pageFolders = ['in-page', 'time', '.', 'open', 'change', 'print', 'picture', 'extract'];
const browserSeams = ['#browser/browser.ts', '#browser/job.ts', '#browser/picture-job.ts'];
const source = join(import.meta.dirname, '..', 'src');

/** Files outside storage/, browser/install/ and browser/process/ that may read files, and what for. */
const fileReaders = new Map([
  ['wall/name-lookup.ts', '/etc/hosts and /etc/resolv.conf'],
  ['browser/page/open/document-source.ts', 'the files of a request, in the folder of the worker'],
  ['browser/process/library-file.ts', 'scripts of packages'],
  ['browser/try-chromium.ts', 'what a new browser has made in its tests'],
  ['browser/worker/decoder-door.ts', 'the original of a picture, in the folder of the worker'],
  ['browser/worker/hand-over.ts', 'the same and the list of blocked hosts, which it puts into that folder'],
  ['browser/worker/main.ts', 'the results of renders, in the folder of the worker'],
  ['browser/worker/task-rules.ts', 'the list of blocked hosts, in the folder of the worker'],
  ['browser/worker/worker.ts', 'the results of renders, which it takes out of that folder'],
  ['core/open-files.ts', 'the limit for open files'],
  ['output.ts', 'writes to standard output'],
  ['core/programs.ts', 'the version, in package.json'],
  ['config.ts', 'certificates, the plans file and the list of blocked hosts'],
  ['doctor.ts', 'the paths that the operator configured'],
  ['site/pages/static-files.ts', 'what the server-rendered pages and the dashboard are made of'],
]);
/**
 * What reads whatever a stranger has sent, for which only the cell is the place. Left out are lists of names, and what tells a type from its
 * first bytes.
 */
const parsers =
  /^(uploads\/(svg\/(?!decode-xml)|metadata\/(?!cleaning)|dimensions)|saxes|marked|@cantoo\/pdf-lib|@hyzyla\/pdfium)/;
/** These read texts of ours. */
const parsesOurs = new Set(['site/docs/handbook.ts: marked']);
/** What Node's modules for the network offer besides connections. */
const connectsNothing = new Set([
  'createSecureContext',
  'createServer',
  'isIP',
  'isIPv4',
  'isIPv6',
  'STATUS_CODES',
]);
/** Files outside wall/ that connect to something, and where. */
const connecting = new Map([
  ['accounts/mailer.ts', 'SMTP_URL'],
  ['accounts/oidc-provider.ts', 'OIDC_ISSUER, the row `signIn` of the ways out'],
  ['browser/worker/wall-test.ts', 'listens for packets that a sound wall stops'],
]);
/** Find and run programs of the system. */
const programFolders = ['browser/install', 'browser/process'];
const runsPrograms = (file: string): boolean =>
  programFolders.includes(file.split(sep).slice(0, 2).join('/'));

const monopolies: { what: string; pattern: RegExp; allowed: (file: string) => boolean }[] = [
  {
    what: 'Fastify',
    pattern: /^(fastify|@fastify\/.*)$/,
    allowed: (file) => httpRooms.includes(roomOf(file) ?? ''),
  },
  {
    what: 'the browser driver',
    pattern: /^(devtools-protocol|devtools-protocol\/.*|@sparticuz\/chromium)$/,
    allowed: (file) => roomOf(file) === 'browser',
  },
  {
    what: 'SQL and S3',
    pattern: /^(kysely|kysely\/.*|pg|node:sqlite|@aws-sdk\/.*)$/,
    allowed: (file) => roomOf(file) === 'storage',
  },
  {
    what: 'files',
    pattern: /^node:fs(\/promises)?$/,
    allowed: (file) =>
      roomOf(file) === 'storage' || fileReaders.has(file.replaceAll(sep, '/')) || runsPrograms(file),
  },
];

const files = readdirSync(source, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => relative(source, join(entry.parentPath, entry.name)));

test('there are files to check', () => {
  assert.ok(files.length > 10, `found only ${files.length} source files`);
});

test('each room from accounts to renders has a room.ts that builds its parts', () => {
  const built = rooms.slice(rooms.indexOf('accounts'), rooms.indexOf('http'));
  assert.deepEqual(
    built.filter((room) => !files.includes(join(room, 'room.ts'))),
    [],
  );
});

test('a room imports only rooms to its left, by its own name', () => {
  const wrong: string[] = [];
  for (const file of files) {
    const room = roomOf(file);
    for (const target of importsOf(file)) {
      const targetRoom = /^#([a-z]+)\//.exec(target)?.[1];
      if (target.startsWith('../')) wrong.push(`${file}: "${target}" leaves its folder; write #room/file.ts`);
      if (!targetRoom || room === undefined) continue;
      const isKnown = rooms.includes(targetRoom);
      if (!isKnown || rooms.indexOf(targetRoom) > rooms.indexOf(room))
        wrong.push(`${file}: imports ${target}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('inside browser/, a folder imports only folders to its left', () => {
  const inside = files.filter((file) => roomOf(file) === 'browser');
  const wrong = inside.flatMap((file) =>
    importsOf(file)
      .filter((target) => target.startsWith('#browser/') && !browserSeams.includes(target))
      .filter((target) => floorOf(target.slice(1)) > floorOf(file.replaceAll(sep, '/')))
      .map((target) => `${file}: imports ${target}`),
  );
  assert.ok(inside.length > 30);
  assert.deepEqual(wrong, []);

  function floorOf(path: string): number {
    const folder = path.split('/')[1] ?? '';
    return folder.endsWith('.ts') ? browserFolders.length : browserFolders.indexOf(folder);
  }
});

test('inside browser/page/, a folder imports only folders to its left', () => {
  const inside = files
    .map((file) => file.replaceAll(sep, '/'))
    .filter((file) => file.startsWith('browser/page/'));
  const wrong = inside.flatMap((file) =>
    importsOf(file.replaceAll('/', sep))
      .filter((target) => target.startsWith('#browser/page/') && folderOf(target.slice(1)) > folderOf(file))
      .map((target) => `${file}: imports ${target}`),
  );
  assert.ok(inside.length > 60 && inside.every((file) => folderOf(file) !== -1));
  assert.deepEqual(wrong, []);

  function folderOf(path: string): number {
    const [folder = '', name] = path.split('/').slice(2);
    return pageFolders.indexOf(name === undefined ? '.' : folder);
  }
});

test('no file imports itself through others, not even for a type', () => {
  const imports = new Map(
    files.map((file) => {
      const path = file.replaceAll(sep, '/');
      const own = (target: string) => target.replace(/^#roof\//, '').replace(/^#/, '');
      return [path, importsOf(file).map(own)];
    }),
  );
  const done = new Set<string>();
  const circles: string[] = [];
  function follow(file: string, trail: string[]): void {
    if (trail.includes(file)) circles.push([...trail.slice(trail.indexOf(file)), file].join(' → '));
    if (done.has(file) || trail.includes(file)) return;
    for (const target of imports.get(file) ?? []) follow(target, [...trail, file]);
    done.add(file);
  }
  for (const file of imports.keys()) follow(file, []);
  assert.ok(imports.get('server/server.ts')?.some((target) => imports.has(target)));
  assert.deepEqual(circles, []);
});

test('Fastify, the browser driver, SQL, S3 and files are each used in one place only', () => {
  const wrong = files.flatMap((file) =>
    importsOf(file).flatMap((target) =>
      monopolies
        .filter(({ pattern, allowed }) => pattern.test(target) && !allowed(file))
        .map(({ what }) => `${file}: ${what} (${target})`),
    ),
  );
  assert.deepEqual(wrong, []);
});

test('what strangers have sent is parsed in the cell and in no other program', () => {
  const { cell, ...others } = programs;
  const inCell = parsersFrom([cell]);
  for (const parser of ['svg/sanitize-svg.ts', 'metadata/remove-metadata.ts', 'dimensions.ts'])
    assert.ok(
      inCell.some((found) => found.endsWith(`: uploads/${parser}`)),
      parser,
    );
  assert.deepEqual(
    parsersFrom(Object.values(others)).filter((found) => !parsesOurs.has(found)),
    [],
  );
});

/** The parsers that these programs load, now or later, each after the file that imports it. */
function parsersFrom(starts: string[]): string[] {
  const reached = new Set(starts.map((start) => start.replace(/^src\//, '')));
  const found: string[] = [];
  for (const file of reached) {
    for (const target of loadedBy(file)) {
      if (parsers.test(target)) found.push(`${file}: ${target}`);
      if (files.includes(target.replaceAll('/', sep))) reached.add(target);
    }
  }
  return found;
}

/** Imports that are only types are not loaded. */
function loadedBy(file: string): string[] {
  const text = readFileSync(join(source, file), 'utf8').replaceAll(/import type [^;]*;/g, '');
  return [...text.matchAll(/(?:from|import\(|import)\s*'([^']+)'/g)].map(([, target = '']) =>
    target.replace(/^#roof\//, '').replace(/^#/, ''),
  );
}

test('only the wall connects to addresses that the operator has not chosen', () => {
  const found = files
    .map((file) => file.replaceAll(sep, '/'))
    .filter((file) => roomOf(file) !== 'wall' && !file.includes('/in-page/') && connects(file));
  assert.deepEqual(found.toSorted(), [...connecting.keys()].toSorted());
});

/** With a module of Node, a global or a library. Those for the database and the store are in storage/ alone. */
function connects(file: string): boolean {
  const text = readFileSync(join(source, file), 'utf8');
  const names = [
    ...text.matchAll(/import \{([^}]*)\} from 'node:(?:net|tls|https?|http2|dgram|dns(?:\/promises)?)'/g),
  ]
    .flatMap(([, list = '']) => list.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '));
  return (
    names.some((name) => !connectsNothing.has(name)) ||
    /(?<![.\w])fetch\([^)]|new (?:WebSocket|EventSource)\(/.test(text) ||
    importsOf(file).some((target) => /^(nodemailer|undici|better-auth\/plugins\/generic-oauth)$/.test(target))
  );
}

test('each file on the list of file readers does read files', () => {
  const idle = [...fileReaders.keys()].filter(
    (file) => !importsOf(file.replaceAll('/', sep)).some((target) => target.startsWith('node:fs')),
  );
  assert.deepEqual(idle, []);
});

test('process.env is read only in config.ts', () => {
  const readers = files.filter((file) => /\bprocess\.env\b/.test(readFileSync(join(source, file), 'utf8')));
  assert.deepEqual(readers, ['config.ts']);
});

test('only engines.ts names implementations', () => {
  const implementations = /(sqlite|postgres|disk-blobs|s3-blobs|chromium-browser)\.ts$/;
  const wrong = files
    .filter((file) => file !== 'engines.ts')
    .flatMap((file) =>
      importsOf(file)
        .filter((target) => target.startsWith('#') && implementations.test(target))
        .map((target) => `${file}: ${target}`),
    );
  assert.deepEqual(wrong, []);
});

test('the lock file names no registry, has a digest of every package, and leaves out the native canvas that pdf.js uses in Node', () => {
  const lock = readFileSync(join(source, '..', 'package-lock.json'), 'utf8');
  assert.doesNotMatch(lock, /"resolved"|@napi-rs\/canvas/);
  // npm installs what has none without a check. What comes inside another package is covered by that one's.
  const { packages } = JSON.parse(lock) as {
    packages: Record<string, { integrity?: string; inBundle?: true }>;
  };
  const unchecked = Object.entries(packages).filter(
    ([path, { integrity, inBundle }]) => path !== '' && !integrity && !inBundle,
  );
  assert.deepEqual(unchecked, []);
});

function roomOf(file: string): string | undefined {
  const [first, rest] = file.split(sep);
  return rest === undefined ? undefined : first;
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(source, file), 'utf8');
  return [...text.matchAll(/(?:from|import\(|import)\s*'([^']+)'/g)].map((match) => match[1] ?? '');
}
