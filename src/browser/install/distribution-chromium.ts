// Debian's headless-shell, and the libraries that a headless-shell from elsewhere needs on Debian and Ubuntu, taken from the
// distribution's packages into the cache.
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openApt } from '#browser/install/apt-packages.ts';
import type { FetchWay, FetchTools } from '#browser/install/fetch-chromium.ts';
import { headlessShells } from '#browser/install/find-chromium.ts';
import type { System } from '#browser/install/system.ts';

const shellPackage = 'chromium-headless-shell';
// Chromium looks for its data files next to the executable.
const dataPackage = 'chromium-common';
// The libraries that chrome-headless-shell is linked with. Where a name has a second form with t64, that one is used.
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
    folder: `${system.id}-${process.arch}`,
    source: `packages of ${system.name}, unpacked in the cache`,
    renewal: 'npx tintype browser --renew',
    async fill(draft, tools) {
      if (!system.hasApt) throw new Error('there is no apt here');
      const target = join(draft, 'system');
      const libraryFolders = await unpack(draft, target, tools, async (apt) => {
        if ((await apt.firstKnown([shellPackage])) === null) throw new Error(`it has no ${shellPackage}`);
        return [shellPackage, dataPackage];
      });
      return { executable: await findShell(target), libraryFolders };
    },
  };
}

/** The libraries that a headless-shell needs and this system lacks. */
export async function fetchLibraries(draft: string, tools: FetchTools): Promise<string[]> {
  return unpack(draft, join(draft, 'libraries'), tools, async (apt) => {
    const names = await Promise.all(libraries.map((name) => apt.firstKnown([`${name}t64`, name])));
    return names.filter((name) => name !== null);
  });
}

async function unpack(
  draft: string,
  target: string,
  { environment, tell }: FetchTools,
  choose: (apt: Awaited<ReturnType<typeof openApt>>) => Promise<string[]>,
): Promise<string[]> {
  const folder = join(draft, 'apt');
  await mkdir(folder);
  await mkdir(target);
  try {
    const apt = await openApt({ folder, environment });
    const plan = await apt.plan(await choose(apt));
    tell(`${plan.packages.length} packages (${plan.names[0]} …)`, plan.sizeBytes);
    return await apt.unpack(plan, target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The program itself: usr/bin contains a script around it, with paths of the system. */
export async function findShell(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const shell = entries.find((entry) => entry.isFile() && headlessShells.includes(entry.name));
  if (!shell) throw new Error('there was no headless-shell in it');
  return join(shell.parentPath, shell.name);
}
