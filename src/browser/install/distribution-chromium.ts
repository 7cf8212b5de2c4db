// Debian's headless-shell, and the libraries that a headless-shell from elsewhere needs on Debian and Ubuntu, taken from the
// distribution's packages into the cache.
import { readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { newestPackage, unpackPackages } from '#browser/install/apt-packages.ts';
import type { FetchWay, FetchTools } from '#browser/install/fetch-way.ts';
import { headlessShells } from '#browser/install/find-chromium.ts';
import type { System } from '#browser/install/system.ts';

// Chromium looks for its data files, which are in the second package, next to the executable.
const packages = ['chromium-headless-shell', 'chromium-common'];
/** A fifth of the packages: resources of the Chromium with windows, its crash reporter, and libraries for debugging the graphics. */
const neverRead = [
  'chrome_100_percent.pak',
  'chrome_200_percent.pak',
  'chrome_crashpad_handler',
  'libVkICD_mock_icd.so',
  'libVkLayer_khronos_validation.so',
  'libVkLayer_khronos_validation.so.TOC',
  'resources.pak',
];
// The libraries that chrome-headless-shell is linked with.
const libraries = [
  'libasound2',
  'libatk-bridge2.0-0',
  'libatk1.0-0',
  'libatspi2.0-0',
  'libdbus-1-3',
  'libexpat1',
  'libgbm1',
  'libglib2.0-0',
  'libnspr4',
  'libnss3',
  'libudev1',
  'libx11-6',
  'libxcb1',
  'libxcomposite1',
  'libxdamage1',
  'libxext6',
  'libxfixes3',
  'libxkbcommon0',
  'libxrandr2',
];

export function distributionWay(system: System): FetchWay {
  return {
    title: `packages of ${system.name}`,
    name: 'packages',
    newest: (tools) => newestPackage(packages[0]!, tools),
    async fill(draft, tools) {
      const target = join(draft, 'system');
      const libraryFolders = await unpackPackages(packages, draft, target, tools);
      const executable = await findShell(target);
      await Promise.all(neverRead.map((name) => rm(join(dirname(executable), name), { force: true })));
      return { executable, libraryFolders };
    },
  };
}

/** The libraries that a headless-shell needs and this system lacks. */
export const fetchLibraries = (draft: string, tools: FetchTools): Promise<string[]> =>
  unpackPackages(libraries, draft, join(draft, 'libraries'), tools);

/** The program itself: usr/bin contains a script around it, with paths of the system. */
export async function findShell(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const shell = entries.find((entry) => entry.isFile() && headlessShells.includes(entry.name));
  if (!shell) throw new Error('there was no headless-shell in it');
  return join(shell.parentPath, shell.name);
}
