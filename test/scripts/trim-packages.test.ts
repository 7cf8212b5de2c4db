// What an installation without tests keeps of its packages. The builds, and test/browser/library-file.test.ts, use what is left.
import assert from 'node:assert/strict';
import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
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
