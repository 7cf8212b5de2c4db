// Debian and Ubuntu packages, unpacked into a folder without root: lists and archives are private, and the system's own state is
// only read. apt checks signatures and checksums as usual.
import { existsSync } from 'node:fs';
import { lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
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
  tools: FetchTools,
): Promise<string[]> {
  const { environment, tell } = tools;
  const archives = join(draft, 'archives');
  const apt = await privateApt(archives, tools);
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
  const files = (await readdir(archives)).filter(
    (file) => file.endsWith('.deb') && !neverUnpacked.test(file),
  );
  for (const file of files) {
    await run('dpkg-deb', ['-x', join(archives, file), target], {
      environment,
      timeoutMs: programMs,
    });
  }
  await rm(archives, { recursive: true });
  await keepLibraries(target);
  return libraryFolders(target);
}

/** The version that the distribution has, without its own revision; null if it has no such package. */
export async function newestPackage(name: string, tools: FetchTools): Promise<string | null> {
  const apt = await privateApt(join(tools.temporary, 'archives'), tools);
  const policy = await apt('apt-cache', ['policy', name]);
  return /^ +Candidate: (?:\d+:)?([\d.]+)/m.exec(policy)?.[1] ?? null;
}

/** apt that downloads to this folder. Its lists are its own, and fetched once. */
async function privateApt(archives: string, { environment, temporary }: FetchTools) {
  for (const folder of [join(temporary, 'lists'), archives])
    await mkdir(join(folder, 'partial'), { recursive: true });
  const settings = [
    `Dir::State=${temporary}`,
    'Dir::State::status=/var/lib/dpkg/status',
    `Dir::Cache=${temporary}`,
    `Dir::Cache::archives=${archives}`,
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
  const mark = join(temporary, 'lists-are-whole');
  if (!existsSync(mark)) {
    await apt('apt-get', ['-q', 'update', '--error-on=any']);
    await writeFile(mark, '');
  }
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
