// The service's own Chromium behind a script, for CHROMIUM_PATH: one whose sandbox cannot work, one that fails to start, one whose pages
// can be ended, one that complains, and one that decides races.
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromiumUnderTest } from '#test/support/browser.ts';
import { root } from '#test/support/processes.ts';

export interface WrappedChromium {
  path: string;
  remove(): Promise<void>;
}

export function sandboxlessChromium(): Promise<WrappedChromium> {
  return wrap(
    (executable) =>
      `case "$*" in *--no-sandbox*|--version) exec '${executable}' "$@";; esac; echo "No usable sandbox!" >&2; exit 1`,
  );
}

/** The first starts, this many, fail for a reason that has nothing to do with the sandbox. */
export async function falteringChromium(failures: number): Promise<WrappedChromium> {
  const starts = await mkdtemp(join(tmpdir(), 'tintype-test-'));
  // Written by the browser's user.
  await chmod(starts, 0o777);
  const wrapped = await wrap(
    (executable) =>
      `if [ "$1" != --version ] && [ "$(ls '${starts}' | wc -l)" -lt ${failures} ]; then ` +
      `mktemp -p '${starts}' >/dev/null; echo "out of memory" >&2; exit 1; fi; exec '${executable}' "$@"`,
  );
  return {
    path: wrapped.path,
    async remove() {
      await wrapped.remove();
      await rm(starts, { recursive: true, force: true });
    },
  };
}

/** The heap of its pages, in MiB. */
const smallHeap = 64;

/**
 * Its pages can break the rules of its processes, for which the browser ends them: `Mojo` is what they talk to the browser process with.
 * Their heaps are small, so that they also crash by themselves.
 */
export function breakableChromium(): Promise<WrappedChromium> {
  return wrap(
    (executable) =>
      `exec '${executable}' --enable-blink-features=MojoJS --js-flags=--max-old-space-size=${smallHeap} "$@"`,
  );
}

/** Each start prints this line this many times to the error output. */
export function complainingChromium(line: string, times: number): Promise<WrappedChromium> {
  return wrap(
    (executable) =>
      `[ "$1" = --version ] || for turn in $(seq ${times}); do echo '${line}' >&2; done; exec '${executable}' "$@"`,
  );
}

/** The address of a page says when it goes elsewhere: see ordering-browser.js. */
export function orderingChromium(): Promise<WrappedChromium> {
  const between = `'${process.execPath}' '${join(root, 'test', 'support', 'ordering-browser.js')}'`;
  return wrap(
    (executable) => `[ "$1" = --version ] && exec '${executable}' "$@"; exec ${between} '${executable}' "$@"`,
  );
}

export interface StoppableChromium extends WrappedChromium {
  /** No browser starts any more; those that run go on. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

export async function stoppableChromium(): Promise<StoppableChromium> {
  const folder = await mkdtemp(join(tmpdir(), 'tintype-test-'));
  // Read by the browser's user.
  await chmod(folder, 0o755);
  const stopped = join(folder, 'stopped');
  const wrapped = await wrap(
    (executable) => `[ -e '${stopped}' ] && { echo "out of order" >&2; exit 1; }; exec '${executable}' "$@"`,
  );
  return {
    path: wrapped.path,
    stop: () => writeFile(stopped, ''),
    start: () => rm(stopped, { force: true }),
    async remove() {
      await wrapped.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function wrap(script: (executable: string) => string): Promise<WrappedChromium> {
  const { executable, libraryFolder, kind } = await chromiumUnderTest();
  const home = await mkdtemp(join(tmpdir(), 'tintype-test-'));
  // The browser runs as another user, who must be able to reach it.
  await chmod(home, 0o755);
  // The service tells the kind from the name.
  const path = join(home, kind === 'full' ? 'chromium' : 'chrome-headless-shell');
  const libraries = libraryFolder === null ? '' : `export LD_LIBRARY_PATH='${libraryFolder}'\n`;
  await writeFile(path, `#!/bin/sh\n${libraries}${script(executable)}\n`, { mode: 0o755 });
  return { path, remove: () => rm(home, { recursive: true, force: true }) };
}
