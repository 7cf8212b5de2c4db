// One running Chromium: started over the debugging pipe as an unprivileged user with its sandbox on, in the process group of its
// worker.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { CdpConnection } from '#browser/process/cdp.ts';
import { connectCdp } from '#browser/process/cdp.ts';
import { chromiumFlags } from '#browser/process/chromium-flags.ts';
import { createPhase, pause, startStepMs, within } from '#browser/process/deadline.ts';
import type { Chromium } from '#browser/install/chromium.ts';
import type { UnixUser } from '#browser/process/unprivileged.ts';

export interface ChromiumProcess {
  readonly kind: Chromium['kind'];
  readonly pid: number;
  readonly version: string;
  readonly connection: CdpConnection;
  /** Aborts when the process is gone or no longer answers on its pipe. */
  readonly gone: AbortSignal;
  /** Calls back when the process of this page ends. Returns how to stop listening. */
  onCrash(targetId: string, crashed: Crashed): () => void;
  /** Ends it; its helper processes follow by themselves. */
  close(): Promise<void>;
}

/** `isEndedByBrowser`: because it broke a rule between the browser's own processes, of which pages know nothing. */
type Crashed = (crash: { isEndedByBrowser: boolean }) => void;

export interface LaunchOptions {
  chromium: Pick<Chromium, 'executable' | 'kind' | 'libraryFolder'>;
  fontsFile: string;
  /** For its profile and its temporary files. */
  folder: string;
  sandboxed: boolean;
  /** The user to run as; null for the user of this process. */
  user: UnixUser | null;
  /** Called with each line in which the browser says why it ends the process of a page. */
  onComplaint?: (line: string) => void;
}

const keptErrorCharacters = 4096;
const complaint = /Terminating render(?:er| process) for bad|rejected by interface/;
// Chromium's RESULT_CODE_KILLED_BAD_MESSAGE.
const endedForBadMessage = 3;
const exitMs = 2_000;
const never = new AbortController().signal;

/** The process is started before this returns. */
export async function launchChromium(options: LaunchOptions): Promise<ChromiumProcess> {
  const { chromium, user, sandboxed, folder, onComplaint } = options;
  const userDataFolder = join(folder, 'profile');
  const flags = chromiumFlags({ kind: chromium.kind, userDataFolder, sandboxed });
  const child = spawn(chromium.executable, flags, {
    ...user,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    env: environment(options),
  });
  const gone = new AbortController();
  let errorText = '';
  let unfinished = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errorText = (errorText + text).slice(-keptErrorCharacters);
    const lines = (unfinished + text).split('\n');
    unfinished = lines.pop()!.slice(0, keptErrorCharacters);
    for (const line of lines) if (complaint.test(line)) onComplaint?.(line);
  });
  const { promise: exited, resolve: onExited } = Promise.withResolvers<void>();
  child.on('error', (error) => {
    // Otherwise it could not be killed, because it is another user's: then it ends with its worker.
    if (child.pid !== undefined) return;
    errorText += error.message;
    ended();
  });
  child.once('exit', ended);
  const connection = connectCdp(child.stdio[3] as Writable, child.stdio[4] as Readable, (reason) =>
    gone.abort(reason),
  );

  const crashes = new Map<string, Crashed>();
  connection.root.on('Target.targetCrashed', ({ targetId, errorCode }) =>
    crashes.get(targetId)?.({ isEndedByBrowser: errorCode === endedForBadMessage }),
  );

  // If the connection ends, the process is ended too: there is no other way to reach it.
  gone.signal.addEventListener('abort', () => child.kill('SIGKILL'), { once: true });
  function close(): Promise<void> {
    connection.close('the browser was closed');
    return exited;
  }
  function ended(): void {
    onExited();
    connection.close('the browser process ended');
  }

  const phase = createPhase(gone.signal, startStepMs, () => new Error('it did not answer in time'));
  try {
    const answers = Promise.all([
      connection.root.send('Browser.getVersion', undefined),
      // Otherwise it does not report the crashes of pages.
      connection.root.send('Target.setDiscoverTargets', { discover: true, filter: [{ type: 'page' }] }),
    ]);
    const [{ product }] = await within(answers, phase.signal);
    return {
      kind: chromium.kind,
      pid: child.pid!,
      version: product,
      connection,
      gone: gone.signal,
      onCrash(targetId, crashed) {
        crashes.set(targetId, crashed);
        return () => crashes.delete(targetId);
      },
      close,
    };
  } catch (error) {
    // It prints its reason and exits.
    await Promise.race([close(), pause(exitMs, never)]);
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
function environment({ folder, chromium, fontsFile }: LaunchOptions): Record<string, string> {
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
