// One running Chromium: started over the debugging pipe as an unprivileged user with its sandbox on, in its own process group and
// folder. Nothing of it is left after `close`.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { Log } from '#browser/browser.ts';
import type { CdpConnection } from '#browser/process/cdp.ts';
import { connectCdp } from '#browser/process/cdp.ts';
import { chromiumFlags } from '#browser/process/chromium-flags.ts';
import { writePreferences } from '#browser/process/chromium-preferences.ts';
import { createPhase, startStepMs, within } from '#browser/process/deadline.ts';
import { endWithService } from '#browser/process/end-with-service.ts';
import type { Chromium } from '#browser/install/find-chromium.ts';
import { lowerBrowser, lowerPages, type Priority } from '#browser/process/priority.ts';
import { createScratchFolder } from '#browser/process/scratch-folder.ts';
import type { UnixUser } from '#browser/process/unprivileged.ts';

export interface ChromiumProcess {
  readonly kind: Chromium['kind'];
  readonly pid: number;
  readonly version: string;
  readonly connection: CdpConnection;
  readonly startedAt: number;
  /** Aborts when the process is gone or no longer answers on its pipe. */
  readonly gone: AbortSignal;
  /**
   * Ends the whole process group; resolves when it and its folder are gone. Never rejects: a folder that cannot be removed is
   * swept later.
   */
  close(): Promise<void>;
}

export interface LaunchOptions {
  /** Logs what could not be cleaned up. */
  log?: Log;
  chromium: Chromium;
  fontsFile: string;
  sandboxed: boolean;
  /** The user to run as; null for the user of the service. */
  user: UnixUser | null;
  priority?: Priority;
  /** Arguments to omit; only the self-test of the wall uses this. */
  withoutFlags?: string[];
}

const keptErrorBytes = 4096;

export async function launchChromium(options: LaunchOptions): Promise<ChromiumProcess> {
  const { chromium, user, sandboxed, log } = options;
  const profileIn = (folder: string) => join(folder, 'profile');
  const scratch = createScratchFolder(user, (folder) => {
    if (chromium.kind === 'full') writePreferences(profileIn(folder));
  });
  const userDataFolder = profileIn(scratch.path);
  const flags = chromiumFlags({ kind: chromium.kind, userDataFolder, sandboxed }).filter(
    (flag) => !options.withoutFlags?.includes(flag),
  );
  const child = spawn(chromium.executable, flags, {
    ...user,
    cwd: scratch.path,
    // Its own group, so that no helper process of the browser is left over.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    env: environment(scratch.path, options),
  });
  const release = child.pid === undefined ? () => {} : endWithService(child.pid, log);
  if (options.priority === 'low' && child.pid !== undefined) lowerBrowser(child.pid);
  const gone = new AbortController();
  let errorText = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errorText = (errorText + chunk.toString()).slice(-keptErrorBytes);
  });
  const { promise: exited, resolve: onExited } = Promise.withResolvers<void>();
  child.once('error', (error) => {
    errorText += error.message;
    ended();
  });
  child.once('exit', ended);
  const connection = connectCdp(child.stdio[3] as Writable, child.stdio[4] as Readable, (reason) =>
    gone.abort(reason),
  );

  let closing: Promise<void> | undefined;
  function close(): Promise<void> {
    closing ??= (async () => {
      killGroup(child.pid);
      await exited;
      connection.close('the browser was closed');
      await scratch.remove().catch((error: unknown) => {
        log?.warn({ err: error, folder: scratch.path }, 'a folder of the browser could not be removed yet');
      });
    })();
    return closing;
  }
  // If the connection ends, the process is ended too: there is no other way to reach it.
  const closeUnasked = () => {
    close().catch((error: unknown) => log?.error({ err: error }, 'the browser was not closed'));
  };
  gone.signal.addEventListener('abort', closeUnasked, { once: true });
  const onExit = () => killGroup(child.pid);
  process.once('exit', onExit);
  function ended(): void {
    process.removeListener('exit', onExit);
    release();
    onExited();
    connection.close('the browser process ended');
  }

  const phase = createPhase(gone.signal, startStepMs, () => new Error('it did not answer in time'));
  try {
    const { product } = await within(connection.root.send('Browser.getVersion', undefined), phase.signal);
    lowerPages(child.pid!);
    return {
      kind: chromium.kind,
      pid: child.pid!,
      version: product,
      connection,
      startedAt: performance.now(),
      gone: gone.signal,
      close,
    };
  } catch (error) {
    await close();
    throw new ChromiumStartError(errorText.trim(), error);
  } finally {
    phase.end();
  }
}

/** The browser did not start; `detail` is what it printed before it exited. */
export class ChromiumStartError extends Error {
  readonly detail: string;

  constructor(detail: string, cause: unknown) {
    const lines = detail.split('\n');
    // What follows is written by the part that reports crashes.
    const reason = lines.findLast((line) => line.includes('FATAL')) ?? lines.at(-1);
    super(`The browser did not start: ${reason || String(cause)}`, { cause });
    this.name = 'ChromiumStartError';
    this.detail = detail;
  }
}

/** Only what Chromium needs: its environment never contains a secret of the service. */
function environment(folder: string, { chromium, fontsFile }: LaunchOptions): Record<string, string> {
  return {
    PATH: '/usr/bin:/bin',
    HOME: folder,
    TMPDIR: join(folder, 'tmp'),
    XDG_CACHE_HOME: join(folder, 'cache'),
    XDG_CONFIG_HOME: join(folder, 'cache'),
    FONTCONFIG_FILE: fontsFile,
    LANG: 'en_US.UTF-8',
    TZ: 'UTC',
    ...(chromium.libraryFolder === null ? {} : { LD_LIBRARY_PATH: chromium.libraryFolder }),
  };
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
}
