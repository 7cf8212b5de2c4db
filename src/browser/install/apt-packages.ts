// Debian and Ubuntu packages, unpacked into a folder without root: lists and archives are private, and the system's own state is
// only read. apt checks signatures and checksums as usual.
import { lstat, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FetchTools } from '#browser/install/fetch-way.ts';
import { run } from '#browser/install/run.ts';

// For each program. It only ends a hang: lists took more than 3 minutes on a busy machine, as they do on a slow line.
const programMs = 20 * 60_000;
// If another C library precedes the system's loader, every program breaks.
const neverUnpacked = /^libc6[_-]|^libc-bin_|^base-files_/;

/**
 * Unpacks those of the packages that the distribution has, and what they need beyond the system, into `target`. Resolves to the folders
 * that hold libraries there. Where a name has a second form with t64, that one is used.
 */
export async function unpackPackages(
  names: string[],
  draft: string,
  target: string,
  { environment, tell }: FetchTools,
): Promise<string[]> {
  const folder = join(draft, 'apt');
  const apt = await privateApt(folder, environment);
  const known = new Set((await apt('apt-cache', ['pkgnames'])).split('\n'));
  const chosen = names
    .map((name) => (known.has(`${name}t64`) ? `${name}t64` : name))
    .filter((name) => known.has(name));
  // --reinstall: a requested package must be complete in the folder, whether or not the system has it.
  const install = ['-q', '-y', '--no-install-recommends', '--reinstall', '--download-only', 'install'];
  await apt('apt-get', [...install, ...chosen], (line) => {
    const size = /^Need to get (.+) of archives/.exec(line)?.[1];
    if (size !== undefined) tell(`${chosen[0]} and what it needs`, size);
  });
  await mkdir(target);
  const files = (await readdir(join(folder, 'archives'))).filter(
    (file) => file.endsWith('.deb') && !neverUnpacked.test(file),
  );
  for (const file of files) {
    await run('dpkg-deb', ['-x', join(folder, 'archives', file), target], {
      environment,
      timeoutMs: programMs,
    });
  }
  await rm(folder, { recursive: true });
  await keepLibraries(target);
  return libraryFolders(target);
}

/** The version that the distribution has, without its own revision; null if it has no such package. */
export async function newestPackage(name: string, { environment }: FetchTools): Promise<string | null> {
  const folder = await mkdtemp(join(tmpdir(), 'tintype-apt-'));
  try {
    const apt = await privateApt(folder, environment);
    const policy = await apt('apt-cache', ['policy', name]);
    return /^ +Candidate: (?:\d+:)?([\d.]+)/m.exec(policy)?.[1] ?? null;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** apt with lists of its own in this folder, which it fetches first. */
async function privateApt(folder: string, environment: Record<string, string>) {
  await mkdir(join(folder, 'lists', 'partial'), { recursive: true });
  await mkdir(join(folder, 'archives', 'partial'), { recursive: true });
  const settings = [
    `Dir::State=${folder}`,
    'Dir::State::status=/var/lib/dpkg/status',
    `Dir::Cache=${folder}`,
    // No other process uses these folders, so no lock is needed, and an ordinary user may not take it.
    'Debug::NoLocking=1',
    // As root, apt would switch to a user who cannot read this folder.
    'APT::Sandbox::User=root',
    'Acquire::Languages=none',
    'Acquire::Retries=2',
  ].flatMap((setting) => ['-o', setting]);
  const apt = (program: string, args: string[], onLine = (_line: string) => {}) =>
    run('setpriv', ['--pdeathsig', 'KILL', program, ...settings, ...args], {
      environment: { ...environment, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' },
      timeoutMs: programMs,
      onLine,
    });
  await apt('apt-get', ['-q', 'update', '--error-on=any']);
  return apt;
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
