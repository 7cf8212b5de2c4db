// A package that is needed only to get a browser: the one in node_modules, if it is installed there as for tests, otherwise installed by npm into
// a folder of its own, with the version and the digest of the lock file.
import { existsSync } from 'node:fs';
import { access, constants, mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { root } from '#core/programs.ts';
import { run } from '#browser/install/run.ts';

const installMs = 20 * 60_000;

interface Locked {
  version: string;
  integrity: string;
}

/** Where npm puts it, below a folder that has a lock file. */
const placeOf = (name: string): string => join('node_modules', name);

export async function lockedPackage(name: string): Promise<Locked> {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  const { version, integrity } = packages[`node_modules/${name}`]!;
  return { version, integrity };
}

/** Resolves to the folder of the package, in `folder` unless it is installed. */
export async function npmPackage(
  name: string,
  folder: string,
  environment: Record<string, string>,
): Promise<string> {
  const installed = join(root, placeOf(name));
  if (existsSync(join(installed, 'package.json'))) return installed;
  const { version, integrity } = await lockedPackage(name);
  const manifest = { name: 'browser', version: '0.0.0', dependencies: { [name]: version } };
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  // Without the dependencies of the package: only its files are used.
  const lock = { ...manifest, lockfileVersion: 3, requires: true };
  const packages = { '': manifest, [`node_modules/${name}`]: { version, integrity } };
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify({ ...lock, packages }));
  const { npm_node_execpath: node, npm_execpath: script } = environment;
  // In npm scripts, the runtime of this installation comes first in PATH, and an old npm may not run on it.
  const [program, ...given] = node !== undefined && script?.endsWith('.js') ? [node, script] : ['npm'];
  await run(
    program,
    [
      ...given,
      'ci',
      '--prefix',
      folder,
      '--ignore-scripts',
      '--loglevel=error',
      '--no-audit',
      '--no-fund',
      '--no-update-notifier',
    ],
    {
      environment: { ...environment, npm_config_cache: await cacheOf(environment, folder) },
      timeoutMs: installMs,
    },
    { cwd: folder },
  );
  return join(folder, placeOf(name));
}

/** The user's, if it can be written to. */
async function cacheOf(environment: Record<string, string>, folder: string): Promise<string> {
  const usual = environment['npm_config_cache'] ?? join(environment['HOME'] ?? homedir(), '.npm');
  return access(usual, constants.W_OK).then(
    () => usual,
    () => join(folder, 'downloads'),
  );
}
