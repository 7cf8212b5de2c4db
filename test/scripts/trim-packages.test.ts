// What an installation without tests keeps of its packages. The builds, and test/browser/library-file.test.ts, use what is left.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { run } from '#browser/install/run.ts';
import { startDownloadHost } from '#test/support/download-host.ts';
import { root, temporaryFolder } from '#test/support/processes.ts';
import { trimPackages } from '#scripts/trim-packages.ts';

const packages = join(root, 'node_modules');

test('types, maps, documents and tests go, at any depth; code and licences stay', async (context) => {
  const { path, remove } = await temporaryFolder();
  context.after(remove);
  const kept = ['package.json', 'LICENSE.md', 'index.js', 'lib/test/data.js', 'node_modules/own/index.js'];
  const gone = [
    'index.d.ts',
    'src/index.ts',
    'index.js.map',
    'README.md',
    'test/a.js',
    'node_modules/own/a.d.mts',
  ];
  for (const name of ['plain', '@scope/name']) {
    for (const file of [...kept, ...gone]) {
      mkdirSync(join(path, name, file, '..'), { recursive: true });
      writeFileSync(join(path, name, file), '');
    }
  }
  trimPackages(path);
  const left = globSync('**', { cwd: path, withFileTypes: true }).filter((entry) => entry.isFile());
  const names = left.map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1));
  const expected = ['plain', '@scope/name'].flatMap((name) => kept.map((file) => join(name, file)));
  assert.deepEqual(names.toSorted(), expected.toSorted());
  assert.ok(!existsSync(join(path, 'plain', 'src')), 'no empty folders');
});

test('of fonts the weights that pages are drawn with stay, and of a large library the files that the dashboard names', async (context) => {
  const { path, remove } = await temporaryFolder();
  context.after(remove);
  for (const name of ['@expo-google-fonts/arimo', 'pdfjs-dist'])
    cpSync(join(packages, name), join(path, name), { recursive: true });
  trimPackages(path);
  const faces = ['400Regular', '400Regular_Italic', '700Bold', '700Bold_Italic'];
  const left = readdirSync(join(path, '@expo-google-fonts/arimo'));
  assert.deepEqual(left.toSorted(), [...faces, 'LICENSE', 'LICENSE_FONT', 'package.json']);
  for (const face of faces)
    assert.match(readdirSync(join(path, '@expo-google-fonts/arimo', face)).join(), /^\w+\.ttf$/);
  const sources = globSync('dashboard/src/**/*.{ts,tsx}', { cwd: root }).map((file) =>
    readFileSync(join(root, file), 'utf8'),
  );
  const named = sources.flatMap((text) =>
    [...text.matchAll(/'(pdfjs-dist[^'?]*)/g)].map(([, name = '']) => name),
  );
  assert.ok(named.length > 1);
  for (const name of named) assert.ok(existsSync(join(path, name)), name);
});

test('the runtime runs without its symbols, and the emoji keep their colours without the drawings in SVG', async (context) => {
  const { path, remove } = await temporaryFolder();
  context.after(remove);
  const [runtime = ''] = globSync('node-*/bin/node', { cwd: packages });
  const [emoji = ''] = globSync('@expo-google-fonts/noto-color-emoji/400Regular/*.ttf', { cwd: packages });
  const sizes = () => [runtime, emoji].map((name) => statSync(join(path, name)).size);
  for (const name of [runtime, emoji]) cpSync(join(packages, name), join(path, name));
  trimPackages(path);
  const { stdout, stderr } = spawnSync(join(path, runtime), ['-p', '6 * 7'], { encoding: 'utf8' });
  assert.equal(stdout, '42\n', stderr);
  const font = readFileSync(join(path, emoji));
  const tables = Array.from({ length: font.readUInt16BE(4) }, (_, index) => {
    const at = 12 + index * 16;
    const offset = font.readUInt32BE(at + 8);
    return {
      name: font.toString('latin1', at, at + 4),
      checksum: font.readUInt32BE(at + 4),
      content: font.subarray(offset, offset + font.readUInt32BE(at + 12)),
    };
  });
  assert.ok(tables.some(({ name }) => name === 'COLR'));
  assert.ok(!tables.some(({ name }) => name === 'SVG '));
  // That of this table is of the whole font.
  for (const { name, checksum, content } of tables.filter((table) => table.name !== 'head'))
    assert.equal(sumOf(content), checksum, name);
  const smaller = sizes();
  trimPackages(path);
  assert.deepEqual(sizes(), smaller, 'once');
  if (process.platform === 'linux') {
    const whole = statSync(join(packages, runtime)).size;
    assert.ok((smaller[0] ?? 0) < whole, `${smaller[0]} of ${whole} bytes`);
  }
  assert.ok((smaller[1] ?? 0) < 8_000_000);
});

test("Playwright's installer fetches a browser with the files that are left of it", async (context) => {
  const { path, remove } = await temporaryFolder();
  context.after(remove);
  await using host = await startDownloadHost();
  cpSync(join(packages, 'playwright-core'), join(path, 'playwright-core'), { recursive: true });
  trimPackages(path);
  const browsers = join(path, 'browsers');
  const environment = { ...host.environment, HOME: path, PLAYWRIGHT_BROWSERS_PATH: browsers };
  const installer = ['playwright-core/cli.js', 'install', '--only-shell', 'chromium-headless-shell'];
  await run(process.execPath, installer, { environment, timeoutMs: 600_000 }, { cwd: path });
  assert.equal(globSync('chromium_headless_shell-*/INSTALLATION_COMPLETE', { cwd: browsers }).length, 1);
});

/** Of the words of four bytes, the last filled up with zeros. */
function sumOf(table: Buffer): number {
  const padded = Buffer.concat([table, Buffer.alloc((4 - (table.length % 4)) % 4)]);
  let sum = 0;
  for (let at = 0; at < padded.length; at += 4) sum = (sum + padded.readUInt32BE(at)) >>> 0;
  return sum;
}
