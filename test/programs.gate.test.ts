// The programs as they run from their sources, and as setup builds them. In a copy of the clone, because a build is of the sources beside it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import * as images from '#test/support/images.ts';
import { compileCache, root, temporaryFolder } from '#test/support/processes.ts';
import { endless, startProduct } from '#test/support/product.ts';
import { bearer } from '#test/support/requests.ts';
import { uploadOne } from '#test/support/uploading.ts';
import { waitFor } from '#test/support/wait-for.ts';

interface Clone {
  path: string;
  /** The folders of its builds, the newest last. */
  builds: () => string[];
  setUp: () => void;
  tintype: (...args: string[]) => string;
}

/** With a program in place of npm, and a runtime that runs nothing but the builder of programs. */
async function copyClone(context: TestContext): Promise<Clone> {
  const { path, remove } = await temporaryFolder();
  context.after(remove);
  for (const name of ['bin', 'scripts', 'src', 'package.json', 'package-lock.json'])
    cpSync(join(root, name), join(path, name), { recursive: true });
  for (const name of ['LICENSE', 'tsconfig.json', 'clients', 'dashboard', 'docs'])
    symlinkSync(join(root, name), join(path, name));
  const packages = join(path, 'node_modules');
  mkdirSync(join(packages, '.bin'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules')).filter((name) => !name.startsWith('.')))
    symlinkSync(join(root, 'node_modules', name), join(packages, name));
  const runtime = `#!/bin/sh\ntest "$1" != bin/programs.js || exec '${process.execPath}' "$@"\n`;
  writeFileSync(join(packages, '.bin', 'node'), runtime, { mode: 0o755 });
  writeFileSync(join(path, 'npm-cli.js'), '');
  const builds = join(path, 'dist');
  return {
    path,
    builds: () => readdirSync(builds).map((name) => join(builds, name)),
    setUp: () => run(['scripts/setup.js']),
    tintype: (...args) => run(['bin/tintype.js', ...args]),
  };

  function run(args: string[]): string {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: path,
      encoding: 'utf8',
      env: { ...process.env, ...compileCache, npm_execpath: join(path, 'npm-cli.js') },
    });
    assert.equal(status, 0, stderr);
    return stdout;
  }
}

for (const form of ['sources', 'build'] as const) {
  test(`from its ${form}, the service takes files and renders pages, and errors name the sources`, async (context) => {
    const clone = await copyClone(context);
    if (form === 'build') clone.setUp();
    const product = await startProduct({
      environment: { CACHE_DIR: join(root, '.cache'), ...compileCache },
      command: [process.execPath, join(clone.path, 'bin', 'tintype.js'), 'serve'],
    });
    context.after(product.stop);
    // What it starts from here on comes from the build too.
    if (form === 'build') rmSync(join(clone.path, 'src'), { recursive: true });
    const key = await product.newKey(endless);
    const { origin } = product.serving;

    const picture = await uploadOne(origin, key, { bytes: await images.png(400, 300) });
    const variant = await fetch(`${picture.fileAt}?width=128&format=webp`);
    assert.equal(variant.headers.get('content-type'), 'image/webp');
    const drawing = await uploadOne(origin, key, {
      bytes: images.svg('<rect width="9" height="9"/><script>alert(1)</script>'),
      filename: 'a.svg',
    });
    const clean = await (await fetch(drawing.fileAt)).text();
    assert.match(clean, /<rect/);
    assert.doesNotMatch(clean, /script/);

    const outputs: [start: string, request: object][] = [
      ['\x89PNG', { html: '<h1>Title</h1>', format: 'png', selector: 'h1' }],
      [
        '%PDF',
        {
          markdown: '# Title',
          format: 'pdf',
          footer: '{{page}}',
          page_numbers: true,
          document: { title: 'Title' },
        },
      ],
      ['# Title', { html: '<article><h1>Title</h1><p>Text', format: 'markdown', block: ['cookie_banners'] }],
    ];
    // Each for an account of its own, which has a worker of its own.
    for (const [start, request] of outputs) {
      const answer = await fetch(`${origin}/api/v2/renders`, {
        method: 'POST',
        headers: { ...bearer(await product.newKey(endless)), 'content-type': 'application/json' },
        body: JSON.stringify(request),
      });
      const bytes = Buffer.from(await answer.arrayBuffer());
      assert.equal(bytes.toString('latin1', 0, start.length), start, bytes.toString('latin1', 0, 1_000));
    }
    for (const page of ['/dashboard/', '/docs', '/clients/', '/'])
      assert.equal((await fetch(origin + page)).status, 200, page);

    const database = new DatabaseSync(join(product.path, 'tintype.db'));
    database.exec('ALTER TABLE uploads RENAME TO gone');
    database.close();
    assert.equal((await fetch(`${origin}/api/v2/uploads`, { headers: bearer(key) })).status, 500);
    const log = product.serving.stdout;
    await waitFor('the error in the log', () => log().includes('"stack"'));
    assert.match(log(), /src\/storage\/[\w/-]+\.ts:\d+/);
    assert.match(log(), /src\/api\/[\w/-]+\.ts:\d+/);
  });
}

test('what setup built runs until a source changes; then the sources do, and setup builds them again', async (context) => {
  const clone = await copyClone(context);
  const said = () => clone.tintype('--version').trim();
  const version = said();
  clone.setUp();
  const [first = ''] = clone.builds();
  appendFileSync(join(first, 'cli.js'), '\nprocess.stdout.write("built ");\n');
  assert.equal(said(), `built ${version}`);
  clone.setUp();
  assert.deepEqual([clone.builds(), said()], [[first], `built ${version}`], 'there was nothing to build');

  const source = join(clone.path, 'src', 'cli.ts');
  const text = readFileSync(source, 'utf8');
  writeFileSync(source, text.replace('${version}\\n', '${version} changed\\n'));
  assert.equal(said(), `${version} changed`);
  clone.setUp();
  const second = clone.builds().find((path) => path !== first) ?? '';
  appendFileSync(join(second, 'cli.js'), '\nprocess.stdout.write("built ");\n');
  assert.equal(said(), `built ${version} changed`);

  writeFileSync(source, text);
  assert.equal(said(), `built ${version}`, 'a service that still runs the build before finds it');
});
