// Chooses the browser: what the operator named, a headless-shell of the system, the one from npm, a full Chromium of
// the system. Design section 5 (which browser); headless-shell renders in half the time of a full Chromium.
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unpackNpmChromium } from '#browser/process/npm-chromium.ts';

export interface Chromium {
  executable: string;
  /** Bundled libraries to put in front, where the system lacks them. */
  libraryFolder: string | null;
  /** A full Chromium wants `--headless`; a headless-shell is nothing else. */
  kind: 'headless-shell' | 'full';
  source: string;
}

export interface FindChromiumOptions {
  /** CHROMIUM_PATH: tried alone when set. */
  explicitPath: string | undefined;
  /** PATH, as the service got it. */
  searchPath: string;
  cacheFolder: string;
}

const usualFolders = ['/usr/bin', '/usr/local/bin', '/usr/lib/chromium', '/opt/google/chrome'];
const headlessShells = ['chrome-headless-shell', 'chromium-headless-shell', 'headless_shell'];
const fullBrowsers = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];
const macBrowsers = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

export async function findChromium(options: FindChromiumOptions): Promise<Chromium> {
  const { explicitPath, searchPath, cacheFolder } = options;
  if (explicitPath !== undefined) return explicit(explicitPath);
  const folders = [...new Set([...searchPath.split(':').filter(Boolean), ...usualFolders])];
  const shell = await firstThatRuns(headlessShells, folders);
  if (shell) return { executable: shell, libraryFolder: null, kind: 'headless-shell', source: 'the system' };
  const unpacked = await unpackNpmChromium(cacheFolder);
  if (unpacked) {
    const { executable, libraryFolder } = unpacked;
    for (const libraries of [null, libraryFolder]) {
      if ((await problemOf(executable, libraries)) !== null) continue;
      return {
        executable,
        libraryFolder: libraries,
        kind: 'headless-shell',
        source: 'npm (@sparticuz/chromium)',
      };
    }
  }
  const full =
    (await firstThatRuns(fullBrowsers, folders)) ??
    (process.platform === 'darwin' ? await firstThatRuns(macBrowsers, ['']) : null);
  if (full) return { executable: full, libraryFolder: null, kind: 'full', source: 'the system' };
  throw new Error(
    'No browser was found. Install a headless-shell (Debian, Ubuntu: apt install chromium-headless-shell), or a ' +
      'Chromium or Chrome, or name one with CHROMIUM_PATH. On Linux x64 `npm install` brings one by itself.' +
      (unpacked
        ? ` The one from npm does not run here: ${await problemOf(unpacked.executable, unpacked.libraryFolder)}`
        : ''),
  );
}

async function explicit(path: string): Promise<Chromium> {
  const problem = await problemOf(path, null);
  if (problem !== null) throw new Error(`CHROMIUM_PATH names "${path}", which does not run: ${problem}`);
  const kind = /headless[-_]shell/.test(path) ? 'headless-shell' : 'full';
  return { executable: path, libraryFolder: null, kind, source: 'CHROMIUM_PATH' };
}

async function firstThatRuns(names: string[], folders: string[]): Promise<string | null> {
  for (const name of names) {
    for (const folder of folders) {
      const path = folder === '' ? name : join(folder, name);
      if ((await isExecutable(path)) && (await problemOf(path, null)) === null) return path;
    }
  }
  return null;
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Some systems keep a stub that only tells how to install: what cannot say its version is no browser. */
async function problemOf(executable: string, libraryFolder: string | null): Promise<string | null> {
  try {
    const env = libraryFolder === null ? {} : { LD_LIBRARY_PATH: libraryFolder };
    const { stdout } = await promisify(execFile)(executable, ['--version'], { env, timeout: 10_000 });
    return /\d\.\d/.test(stdout) ? null : 'it does not tell its version';
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    return (stderr?.trim() || message).split('\n')[0] ?? 'it failed';
  }
}
