// Debian and Ubuntu packages, unpacked into a folder without root: lists and archives are private, and the system's own state is
// only read. apt checks signatures and checksums as usual.
import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '#browser/install/run.ts';

export interface AptOptions {
  /** Must be empty; everything created here is inside it. */
  folder: string;
  environment: Record<string, string>;
}

export interface Apt {
  /** Alternatives in order of preference: the first one that the distribution offers is used. */
  firstKnown(names: string[]): Promise<string | null>;
  /** The size of these packages and their dependencies, without those that the system already has. */
  plan(names: string[]): Promise<AptPlan>;
  /** Unpacks them into `target`; resolves to the folders that hold libraries there. */
  unpack(plan: AptPlan, target: string): Promise<string[]>;
}

interface AptPlan {
  names: string[];
  packages: { file: string; sizeBytes: number }[];
  sizeBytes: number;
}

// For each program. It only ends a hang: lists took more than 3 minutes on a busy machine, as they do on a slow line.
const programMs = 20 * 60_000;
// If another C library precedes the system's loader, every program breaks.
const neverUnpacked = /^libc6[_-]|^libc-bin_|^base-files_/;

export async function openApt({ folder, environment }: AptOptions): Promise<Apt> {
  const state = join(folder, 'state');
  const cache = join(folder, 'cache');
  await mkdir(join(state, 'lists', 'partial'), { recursive: true });
  await mkdir(join(cache, 'archives', 'partial'), { recursive: true });
  const settings = [
    `Dir::State=${state}`,
    'Dir::State::status=/var/lib/dpkg/status',
    `Dir::Cache=${cache}`,
    // No other process uses these folders, so no lock is needed, and an ordinary user may not take it.
    'Debug::NoLocking=1',
    // As root, apt would switch to a user who cannot read this folder.
    'APT::Sandbox::User=root',
    'Acquire::Languages=none',
    'Acquire::Retries=2',
  ].flatMap((setting) => ['-o', setting]);
  const apt = (program: string, args: string[]) =>
    run('setpriv', ['--pdeathsig', 'KILL', program, ...settings, ...args], {
      environment: { ...environment, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' },
      timeoutMs: programMs,
    });
  const install = (names: string[], mode: string) =>
    // --reinstall: a requested package must be complete in the folder, whether or not the system has it.
    apt('apt-get', ['-q', '-y', '--no-install-recommends', '--reinstall', mode, 'install', ...names]);
  await apt('apt-get', ['-q', 'update', '--error-on=any']);
  let known: Set<string> | undefined;

  return {
    async firstKnown(names) {
      known ??= new Set((await apt('apt-cache', ['pkgnames'])).split('\n'));
      return names.find((name) => known?.has(name)) ?? null;
    },
    async plan(names) {
      const packages = parseUris(await install(names, '--print-uris'));
      return { names, packages, sizeBytes: packages.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) };
    },
    async unpack({ names }, target) {
      await install(names, '--download-only');
      const archives = join(cache, 'archives');
      const files = (await readdir(archives)).filter((file) => file.endsWith('.deb'));
      for (const file of files.filter((name) => !neverUnpacked.test(name))) {
        await run('dpkg-deb', ['-x', join(archives, file), target], { environment, timeoutMs: programMs });
      }
      await keepLibraries(target);
      return libraryFolders(target);
    },
  };
}

/** `'http://…/x.deb' x_1.0_arm64.deb 64043120 SHA256:…`, one to a line. */
export function parseUris(output: string): AptPlan['packages'] {
  const lines = output.split('\n').map((line) => /^'[^']*' (\S+) (\d+) /.exec(line));
  return lines
    .filter((line) => line !== null)
    .map(([, file = '', size]) => ({ file, sizeBytes: Number(size) }));
}

/** Keeps the browser and the libraries of a package; skips its other programs, icons and documentation. */
export async function keepLibraries(target: string): Promise<void> {
  const remove = async (folder: string, kept: string[]) => {
    // A link in a package may lead out of the folder.
    if (!(await lstat(folder).catch(() => null))?.isDirectory()) return;
    for (const name of await readdir(folder)) {
      if (!kept.includes(name)) await rm(join(folder, name), { recursive: true });
    }
  };
  await remove(target, ['usr', 'lib']);
  await remove(join(target, 'usr'), ['lib']);
}

async function libraryFolders(target: string): Promise<string[]> {
  const entries = await readdir(target, { recursive: true, withFileTypes: true });
  return [
    ...new Set(entries.filter(({ name }) => /\.so(\.|$)/.test(name)).map(({ parentPath }) => parentPath)),
  ].toSorted();
}
