// Chooses the browser: the operator's choice, else the newest headless-shell that passes (of the system, or fetched earlier), else
// one that is fetched for this platform, else a full Chromium of the system. A headless-shell renders in half the time of a full Chromium.
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { versionOf, type Candidate, type Chromium } from '#browser/install/chromium.ts';
import { keptBrowsers } from '#browser/install/kept-browsers.ts';
import { compareVersions } from '#browser/install/releases.ts';
import { readSystem, type System } from '#browser/install/system.ts';

export interface Places {
  /** CHROMIUM_PATH: if set, the only one that is tried. */
  explicitPath: string | undefined;
  /** Where to look for a browser of the system. */
  folders: string[];
  cacheFolder: string;
  system?: System;
}

export interface FindChromiumOptions extends Places {
  /** Fetches a browser for this platform into the cache; rejects with the reason. */
  fetch?: () => Promise<Chromium>;
  /** Rejects a browser that must not be used: then the next one is tried. */
  accept?: (candidate: Pick<Candidate, 'id'>, chromium: Chromium) => Promise<void>;
}

/** Where packages put browsers that are not on the PATH. */
export const defaultFolders = [
  '/usr/bin',
  '/usr/local/bin',
  '/usr/lib/chromium',
  '/usr/lib/chromium-browser',
  '/usr/lib64/chromium-browser',
  '/opt/google/chrome',
  '/opt/homebrew/bin',
  '/Applications/Google Chrome.app/Contents/MacOS',
  '/Applications/Chromium.app/Contents/MacOS',
];
export const headlessShells = [
  'chrome-headless-shell',
  'chromium-headless-shell',
  'headless_shell',
  'headless-shell',
];
const fullBrowsers = [
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'chrome',
  'Google Chrome',
  'Chromium',
];

export async function findChromium(options: FindChromiumOptions): Promise<Chromium> {
  const { explicitPath, folders, fetch, accept = async () => {}, system = readSystem() } = options;
  const take = async (open: () => Promise<Chromium>, id?: string): Promise<Chromium> => {
    const chromium = await open();
    await accept({ id: id ?? idOf(chromium) }, chromium);
    return chromium;
  };
  if (explicitPath !== undefined) return take(() => explicit(explicitPath));
  const problems: string[] = [];
  for (const attempt of [
    ...(await presentShells(options)).map(
      ({ open, id }) =>
        () =>
          take(open, id),
    ),
    ...(fetch ? [() => take(fetch)] : []),
    ...pathsOf(fullBrowsers, folders).map((path) => () => take(() => ofSystem(path, 'full', system))),
  ]) {
    try {
      return await attempt();
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  throw new Error(
    `No browser was found: ${system.advice}, or name a Chromium with CHROMIUM_PATH` +
      (problems.length > 0 ? ` (${problems.join('; ')})` : ''),
  );
}

/** What need not be fetched, the newest first; only what CHROMIUM_PATH names if it is set. */
export async function presentShells(places: Places): Promise<Candidate[]> {
  const { explicitPath, folders, cacheFolder, system = readSystem() } = places;
  if (explicitPath !== undefined) return [candidateFor(await explicit(explicitPath))];
  const found: Candidate[] = [];
  for (const path of pathsOf(headlessShells, folders)) {
    const shell = await ofSystem(path, 'headless-shell', system).catch(() => null);
    if (shell !== null) found.push(candidateFor(shell));
  }
  found.push(...(await keptBrowsers(cacheFolder, system)));
  return found.toSorted((one, other) => compareVersions(other.version, one.version));
}

const idOf = ({ folder, executable, version }: Chromium): string => folder ?? `${executable} ${version}`;

const candidateFor = (chromium: Chromium): Candidate => ({
  id: idOf(chromium),
  version: chromium.version,
  open: () => Promise.resolve(chromium),
});

async function explicit(path: string): Promise<Chromium> {
  const version = await versionOf(path, null).catch((error: Error) => {
    throw new Error(`CHROMIUM_PATH names "${path}", which does not run: ${error.message}`);
  });
  const names = [basename(path), basename(await realpath(path))];
  const kind = names.some((name) => headlessShells.includes(name)) ? 'headless-shell' : 'full';
  const renewal = 'the way you installed it';
  return { executable: path, libraryFolder: null, kind, version, source: 'CHROMIUM_PATH', renewal };
}

async function ofSystem(executable: string, kind: Chromium['kind'], { renewal }: System): Promise<Chromium> {
  const version = await versionOf(executable, null);
  return { executable, libraryFolder: null, kind, version, source: 'the system', renewal };
}

const pathsOf = (names: string[], folders: string[]): string[] =>
  names.flatMap((name) => [...new Set(folders)].map((folder) => join(folder, name))).filter(existsSync);
