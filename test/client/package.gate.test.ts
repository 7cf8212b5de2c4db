// The packages as the service serves them, installed from its address into empty folders, without a registry: used from ESM,
// CommonJS and strict TypeScript, on every Node of this machine.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { version } from '#client/version.ts';
import { png } from '#test/support/images.ts';
import { root } from '#test/support/processes.ts';
import { startService, type TestService } from '#test/support/service.ts';
import { buildClients } from '#scripts/build-clients.ts';
import { typedProgram } from './typed-program.ts';

const run = promisify(execFile);
let service: TestService;
let folder: string;
let environment: NodeJS.ProcessEnv;

before(async () => {
  await buildClients(join(root, 'clients/dist'));
  service = await startService();
  const { key } = await service.newKey();
  environment = { ...process.env, TINTYPE_URL: service.origin, TINTYPE_API_KEY: key };
  folder = await mkdtemp(join(tmpdir(), 'tintype-package-'));
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  await writeFile(join(folder, 'image.png'), await png());
});
after(async () => {
  await rm(folder, { recursive: true, force: true });
  await service.stop();
});

test('a build removes its own folder from the target, and nothing else', async () => {
  const packages = join(folder, 'packages');
  const others = [`.work-${process.pid}`, '.work-notes'];
  for (const name of others) await mkdir(join(packages, name, 'notes'), { recursive: true });
  await buildClients(packages);
  const hidden = (await readdir(packages)).filter((name) => name.startsWith('.'));
  assert.deepEqual(hidden.toSorted(), others.toSorted());
  for (const name of others) assert.deepEqual(await readdir(join(packages, name)), ['notes']);
});

/** The registry is an address where nothing listens: whatever is not in the tarball itself fails the installation. */
const install = (name: string, ...args: string[]) =>
  run(
    'npm',
    `install ${service.origin}/clients/${name} --cache ${folder}/cache --registry http://127.0.0.1:9 --no-audit --no-fund`
      .split(' ')
      .concat(args),
    { cwd: folder },
  );

const names = ['client', 'cli', 'mcp'];

for (const name of names) {
  test(`@tintype/${name} installs from its address, alone, and is small`, async () => {
    await install(`tintype-${name}.tgz`);
    const place = join(folder, 'node_modules/@tintype', name);
    assert.deepEqual((await readdir(place)).sort(), ['LICENSE', 'README.md', 'dist', 'package.json']);
    const answer = await fetch(`${service.origin}/clients/tintype-${name}.tgz`, { method: 'HEAD' });
    const size = Number(answer.headers.get('content-length'));
    process.stdout.write(`# tintype-${name}.tgz: ${(size / 1024).toFixed(1)} kB\n`);
    // It has the types of both versions, in ESM and CommonJS.
    assert.ok(size > 0 && size < 100 * 1024, `${size} bytes`);
  });
}

test('no package has dependencies, and each has the version of the clients', async () => {
  for (const name of ['library', 'cli', 'mcp']) {
    const manifest = JSON.parse(
      await readFile(join(root, 'clients', name, 'package.json'), 'utf8'),
    ) as Record<string, unknown>;
    assert.equal(manifest['version'], version);
    assert.deepEqual(
      Object.keys(manifest).filter((field) => /dependencies/i.test(field)),
      [],
    );
  }
  const installed = (await readdir(join(folder, 'node_modules'))).filter((name) => !name.startsWith('.'));
  assert.deepEqual(installed, ['@tintype']);
});

test('tt installs globally, by the command of the documents', async () => {
  const prefix = join(folder, 'global');
  await install('tintype-cli.tgz', '-g', '--prefix', prefix);
  const { stdout } = await run(join(prefix, 'bin/tt'), ['--version']);
  assert.equal(stdout, `${version}\n`);
});

test('a plain name is asked for again by its tag, one with a version is kept for a day', async () => {
  const plain = await fetch(`${service.origin}/clients/tintype-cli.tgz`);
  const { headers } = plain;
  assert.deepEqual(
    [headers.get('content-type'), headers.get('cache-control'), headers.get('content-encoding')],
    ['application/gzip', 'public, no-cache', null],
  );
  const etag = headers.get('etag') ?? '';
  const again = await fetch(`${service.origin}/clients/tintype-cli.tgz`, {
    headers: { 'if-none-match': etag },
  });
  assert.equal(again.status, 304);
  const pinned = await fetch(`${service.origin}/clients/tintype-cli-${version}.tgz`);
  assert.deepEqual(
    [pinned.headers.get('cache-control'), pinned.headers.get('etag')],
    ['public, max-age=86400', etag],
  );
  assert.deepEqual(await pinned.bytes(), await plain.bytes());
  for (const name of ['tintype-cli-9.9.9.tgz', '.work', '..%2Fpackage.json'])
    assert.equal((await fetch(`${service.origin}/clients/${name}`)).status, 404, name);
});

test('the index names every file with its version', async () => {
  const answer = await fetch(`${service.origin}/clients/`);
  assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
  const page = await answer.text();
  for (const name of names) assert.ok(page.includes(`href="/clients/tintype-${name}-${version}.tgz"`), name);
  assert.ok(page.includes(`href="/clients/tintype-${version}-py3-none-any.whl"`));
});

test('files of earlier versions stay, and a name with a version is one file for ever', async () => {
  const data = join(folder, 'data');
  await mkdir(join(data, 'clients'), { recursive: true });
  const old = ['tintype-cli-0.0.9.tgz', 'tintype-0.0.9-py3-none-any.whl'];
  const [packed, foreign] = [`tintype-client-${version}.tgz`, `tintype-mcp-${version}.tgz`];
  const built = await readFile(join(root, 'clients/dist', packed));
  // The same packed by another zlib, and something else.
  const repacked = gzipSync(gunzipSync(built), { level: 1 });
  await writeFile(join(data, 'clients', packed), repacked);
  await writeFile(join(data, 'clients', foreign), 'another');
  for (const name of [...old, 'notes.txt']) await writeFile(join(data, 'clients', name), `first ${name}`);
  const upgraded = await startService({ DATA_DIR: data });
  try {
    for (const name of old) {
      const answer = await fetch(`${upgraded.origin}/clients/${name}`);
      assert.deepEqual([answer.status, await answer.text()], [200, `first ${name}`]);
    }
    const first = await fetch(`${upgraded.origin}/clients/${packed}`);
    assert.deepEqual(Buffer.from(await first.arrayBuffer()), repacked);
    assert.equal((await fetch(`${upgraded.origin}/clients/${foreign}`)).status, 404);
    await upgraded.nextLine(({ file }) => file === join(data, 'clients', foreign));
    assert.equal((await fetch(`${upgraded.origin}/clients/notes.txt`)).status, 404);
    assert.match(
      await (await fetch(`${upgraded.origin}/clients/`)).text(),
      /Earlier versions[^]*cli-0\.0\.9/,
    );
    // Those of today are there for the next upgrade.
    const kept = await readFile(join(data, 'clients', `tintype-cli-${version}.tgz`));
    assert.deepEqual(kept, await readFile(join(root, 'clients/dist', `tintype-cli-${version}.tgz`)));
  } finally {
    await upgraded.stop();
  }
});

const hasPip = await run('python3', ['-m', 'pip', '--version']).then(
  () => true,
  () => false,
);

test(
  'pip installs the wheel from its address, with its types',
  { skip: hasPip ? false : 'pip is not on this machine' },
  async () => {
    const target = join(folder, 'python');
    const address = `${service.origin}/clients/tintype-${version}-py3-none-any.whl`;
    await run('python3', [
      '-m',
      'pip',
      'install',
      '--no-index',
      '--no-cache-dir',
      '--target',
      target,
      address,
    ]);
    assert.deepEqual(
      (await readdir(join(target, 'tintype'))).filter((name) => name !== '__pycache__').sort(),
      ['__init__.py', 'py.typed'],
    );
    const program = 'import tintype; print(tintype.__version__, tintype.Tintype().usage().upload["used"])';
    const { stdout } = await run('python3', ['-c', program], {
      env: { ...environment, PYTHONPATH: target },
    });
    assert.match(stdout, new RegExp(`^${version} \\d+\\n$`));
  },
);

test('the Python module is served as text', async () => {
  const answer = await fetch(`${service.origin}/clients/tintype.py`);
  assert.deepEqual(
    [answer.headers.get('content-type'), answer.headers.get('cache-control')],
    ['text/x-python; charset=utf-8', 'public, no-cache'],
  );
  assert.equal(await answer.text(), await readFile(join(root, 'clients/python/tintype.py'), 'utf8'));
});

const body = `
const client = new Tintype();
async function main() {
  const told = [];
  const upload = await client.upload('image.png', { onProgress: (progress) => told.push(progress) });
  const { url, meta } = upload;
  const listed = (await client.listUploads()).items.some(({ id }) => id === upload.id);
  await client.delete(upload);
  const again = await client.delete(upload).catch((reason) => reason);
  const { units } = await client.usage();
  const error = await client.upload(Buffer.from('text')).catch((reason) => reason);
  console.log(JSON.stringify({
    hasLink: url.startsWith('http://tintype.test/i/'), limit: meta.quota.limit, progress: told.length > 0,
    isTyped: error instanceof TintypeError, code: error.code, listed, again: again.code, uploadLimit: units.upload.limit, isOneClass: error instanceof Other,
  }));
}
main();
`;
const expected = {
  hasLink: true,
  limit: 1_000_000,
  progress: true,
  isTyped: true,
  code: 'unsupported_type',
  listed: true,
  again: 'not_found',
  uploadLimit: 1_000_000,
  isOneClass: true,
};

test('ESM, CommonJS and tt work on every Node of this machine', async () => {
  await writeFile(
    join(folder, 'esm.mjs'),
    `import { Tintype, TintypeError } from '@tintype/client';
import { createRequire } from 'node:module';
const { TintypeError: Other } = createRequire(import.meta.url)('@tintype/client');
${body}`,
  );
  await writeFile(
    join(folder, 'cjs.cjs'),
    `const { Tintype, TintypeError } = require('@tintype/client');
let Other;
${body.replace('main();', "import('@tintype/client').then((module) => { Other = module.TintypeError; return main(); });")}`,
  );
  for (const node of await nodesHere()) {
    const { stdout: nodeVersion } = await run(node, ['--version']);
    for (const file of ['esm.mjs', 'cjs.cjs']) {
      const { stdout, stderr } = await run(node, [file], { cwd: folder, env: environment });
      assert.deepEqual([JSON.parse(stdout), stderr], [expected, ''], `${file} on ${nodeVersion}`);
    }
    const { stdout: link } = await run(node, ['node_modules/.bin/tt', 'upload', 'image.png'], {
      cwd: folder,
      env: environment,
    });
    assert.match(link, /^http:\/\/tintype\.test\/i\/\w+\n$/);
    process.stdout.write(`# used on ${nodeVersion}`);
  }
});

test('strict TypeScript takes its types, as ESM and as CommonJS, without the types of Node', async () => {
  await writeFile(join(folder, 'esm.mts'), typedProgram);
  await writeFile(join(folder, 'cjs.cts'), typedProgram);
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
    types: [],
    noEmit: true,
  };
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['esm.mts', 'cjs.cts'] }),
  );
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [compiler, '-p', folder]).catch(
    (error: { stdout: string }) => error,
  );
  assert.equal(stdout, '');
});

test('its types are those of TypeScript 5.0: Uint8Array has had a parameter since 5.7 only', async () => {
  const types = join(folder, 'node_modules/@tintype/client/dist/esm');
  for (const name of await readdir(types)) {
    if (name.endsWith('.d.ts'))
      assert.doesNotMatch(await readFile(join(types, name), 'utf8'), /Uint8Array</, name);
  }
});

/** This one, and the first that the system's PATH has outside of this project. */
async function nodesHere(): Promise<string[]> {
  const outside = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((entry) => entry !== '' && !entry.includes('node_modules'))
    .map((entry) => join(entry, 'node'))
    .find((file) => existsSync(file));
  return [process.execPath, ...(outside ? [outside] : [])];
}
