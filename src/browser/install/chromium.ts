// A browser on this machine, and how its version is read.
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';

export interface Chromium {
  executable: string;
  /** Folders of libraries to prepend (LD_LIBRARY_PATH), if the system lacks them. */
  libraryFolder: string | null;
  /** A full Chromium needs `--headless`; a headless-shell has no other mode. */
  kind: 'headless-shell' | 'full';
  /** 158.0.8127.18 */
  version: string;
  /** Where it came from and how to get a newer one, worded for the operator. */
  source: string;
  renewal: string;
  /** Set if a download could not be checked: who is trusted instead, worded for the operator. */
  trust?: string;
  /** Its folder in the cache if it was fetched: removed when a newer one is in use. */
  folder?: string;
}

/** A headless-shell that is on this machine. */
export interface Candidate {
  /** The same for the same browser. */
  id: string;
  version: string;
  /** Rejects with the reason if it does not run here. */
  open(): Promise<Chromium>;
}

export const renewCommand = 'npx tintype browser renew';

/** Only ends a hang: on a small or busy machine a program of 200 MB takes long to start. */
const versionMs = 60_000;

/** The versions of files that have not changed since: a program of 200 MB is not started for it every minute. */
const known = new Map<string, string>();

/**
 * Rejects if it cannot print its version: some systems have a stub that only prints how to install a browser, so such a program is not a
 * browser.
 */
export async function versionOf(executable: string, libraryFolder: string | null): Promise<string> {
  const { dev, ino, size, mtimeMs } = await stat(executable);
  const file = [executable, libraryFolder, dev, ino, size, mtimeMs].join();
  const version = known.get(file) ?? (await printedVersion(executable, libraryFolder));
  known.set(file, version);
  return version;
}

async function printedVersion(executable: string, libraryFolder: string | null): Promise<string> {
  const env = libraryFolder === null ? {} : { LD_LIBRARY_PATH: libraryFolder };
  const { stdout } = await promisify(execFile)(executable, ['--version'], { env, timeout: versionMs }).catch(
    (error: Error & { stderr?: string }) => {
      throw new Error((error.stderr?.trim() || error.message).split('\n')[0]);
    },
  );
  const version = /\d{1,9}(\.\d{1,9}){1,3}/.exec(stdout)?.[0];
  if (version === undefined) throw new Error('it does not print its version');
  return version;
}
