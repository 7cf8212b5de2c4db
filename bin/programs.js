// Builds the programs of src/core/programs.ts, each into one file and what it shares with the others, so that they load in a third of the
// time.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const source = join(root, 'src');
/** A service that is running goes on loading from the one before. */
const keptBuilds = 2;
const libraries = 'libraries';

/** Where the build of the present sources is, if there is one. It is named by their digest, so that nothing old is found after a change. */
export function builtFolder() {
  const hash = createHash('sha256');
  for (const name of ['package-lock.json', 'bin/programs.js']) hash.update(readFileSync(join(root, name)));
  for (const name of readdirSync(source, { recursive: true }).sort())
    if (name.endsWith('.ts')) hash.update(name).update(readFileSync(`${source}/${name}`));
  return join(root, 'dist', hash.digest('hex').slice(0, 16));
}

async function build(folder) {
  const [{ rolldown }, { programs }] = await Promise.all([
    import('rolldown'),
    import('../src/core/programs.ts'),
  ]);
  const draft = join(dirname(folder), `draft-${process.pid}`);
  const bundle = await rolldown({
    cwd: root,
    input: programs,
    platform: 'node',
    // One is native; the other is not installed.
    external: ['sharp', 'pg-native'],
  });
  await bundle.write({
    dir: draft,
    sourcemap: true,
    sourcemapExcludeSources: true,
    // Apart from our own code, because the map of a file is read whole.
    codeSplitting: { groups: [{ name: libraries, test: /node_modules/, entriesAware: true }] },
    chunkFileNames: ({ name }) => `${name.startsWith(libraries) ? libraries : '[name]'}-[hash].js`,
  });
  await bundle.close();
  // They would take 30 MB at the first error.
  for (const name of readdirSync(draft))
    if (name.startsWith(libraries) && name.endsWith('.map')) rmSync(join(draft, name));
  const isOfSources = builtFolder() === folder;
  try {
    if (isOfSources) renameSync(draft, folder);
  } catch (error) {
    // Another process was first.
    if (!existsSync(folder)) throw error;
  }
  rmSync(draft, { recursive: true, force: true });
  if (!isOfSources) throw new Error('a source was changed during the build; start again');
}

function removeOldBuilds(folder) {
  const builds = readdirSync(folder).map((name) => join(folder, name));
  builds.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  for (const path of builds.slice(keptBuilds)) rmSync(path, { recursive: true });
}

if (import.meta.main) {
  const folder = builtFolder();
  await build(folder);
  removeOldBuilds(dirname(folder));
}
