// Stands in for a source of browsers: what it offers is the browser under test behind a script that says it is of another version, and that may
// break one thing.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FetchWay } from '#browser/install/fetch-way.ts';
import { chromiumUnderTest } from '#test/support/browser.ts';
import { root } from '#test/support/processes.ts';

/** A method of the browser's protocol, or the wall. */
export type Broken = 'Page.captureScreenshot' | 'Page.printToPDF' | 'wall';

export async function shellScript(version: string, broken?: Broken): Promise<string> {
  const { executable, libraryFolder, kind } = await chromiumUnderTest();
  const libraries = libraryFolder === null ? '' : `export LD_LIBRARY_PATH='${libraryFolder}'\n`;
  // A full Chromium needs a display unless it is started with --headless.
  const program = `'${executable}'${kind === 'full' ? ' --headless' : ''}`;
  const between = `'${process.execPath}' '${join(root, 'test', 'support', 'between-browser.js')}' ${broken} `;
  return (
    `#!/bin/sh\n[ "$1" = --version ] && echo 'Chromium ${version}' && exit\n${libraries}` +
    `exec ${broken === undefined ? '' : between}${program} "$@"\n`
  );
}

export interface FakeSource extends FetchWay {
  /** What it offers from now on. */
  offer(version: string, broken?: Broken | 'no download'): void;
  /** How often one was fetched. */
  readonly fetches: number;
}

export function fakeSource(version: string): FakeSource {
  let offered = { version, broken: undefined as Broken | 'no download' | undefined };
  let fetches = 0;
  return {
    title: 'a fake source',
    name: 'fake',
    offer: (newer, broken) => (offered = { version: newer, broken }),
    get fetches() {
      return fetches;
    },
    newest: () => Promise.resolve(offered.version),
    async fill(draft) {
      fetches += 1;
      const { version: made, broken } = offered;
      if (broken === 'no download') throw new Error('the download ended early');
      const executable = join(draft, 'chrome-headless-shell');
      writeFileSync(executable, await shellScript(made, broken), { mode: 0o755 });
      return { executable, libraryFolders: [] };
    },
  };
}
