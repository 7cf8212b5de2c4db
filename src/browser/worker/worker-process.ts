// The processes of one render worker: the program as a process group in a session of its own, and the folders of the worker and its
// browser. Nothing of it is left after `close`, or after the end of the service.
import { spawn } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import { programFile } from '#core/programs.ts';
import type { Log } from '#browser/browser.ts';
import { createBrowserFolder } from '#browser/process/browser-folder.ts';
import { endWithService } from '#browser/process/end-with-service.ts';
import { createScratchFolder } from '#browser/process/scratch-folder.ts';
import { fromWorkerCharacters, openChannel } from '#browser/worker/channel.ts';
import type { FromWorker, StartOrder, ToWorker } from '#browser/worker/messages.ts';

export interface WorkerProcess {
  /** Also the id of its process group; undefined if it could not be started. */
  readonly pid: number | undefined;
  readonly browserFolder: string;
  readonly resultsFolder: string;
  /** Aborts when it is gone, with what it printed last. */
  readonly gone: AbortSignal;
  send(message: ToWorker): void;
  kill(): void;
  /** Kills it, and resolves when its processes and folders are gone. */
  close(): Promise<void>;
}

interface ProcessOptions extends Pick<StartOrder, 'chromium' | 'users'> {
  /** On the file system of the store. */
  resultsFolder: string;
  onMessage: (message: FromWorker) => void;
  log: Log;
}

/** A small heap: by default V8 lets it grow to three times the live data before it collects. */
const nodeFlags = ['--enable-source-maps', '--heap-growing-percent=70', '--semi-space-growth-factor=1'];
const maxErrorCharacters = 4_096;

/** The process groups of running workers: they end with this process, however it ends. */
const groups = new Set<number>();
process.on('exit', () => groups.forEach(killGroup));

function killGroup(group: number): void {
  if (!groups.has(group)) return;
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // Already gone.
  }
}

export function startProcess({
  chromium,
  users,
  resultsFolder,
  onMessage,
  log,
}: ProcessOptions): WorkerProcess {
  const browserFolder = createBrowserFolder(chromium.kind, users?.browser ?? null);
  const results = createScratchFolder(resultsFolder, users?.worker ?? null);
  const compileCache = getCompileCacheDir();
  const child = spawn(process.execPath, [...nodeFlags, programFile('render-worker')], {
    cwd: results.path,
    // A session of its own: one process group to judge and to end, and one share of the processor where Linux groups by session.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: compileCache === undefined ? {} : { NODE_COMPILE_CACHE: compileCache },
  });
  const { pid } = child;
  const release = pid === undefined ? () => {} : endWithService(pid, log);
  if (pid !== undefined) groups.add(pid);
  const gone = new AbortController();
  const { promise: exited, resolve: onExited } = Promise.withResolvers<void>();
  let errorText = '';
  let closing: Promise<void> | undefined;

  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errorText = (errorText + text).slice(-maxErrorCharacters);
  });
  child.once('error', (error) => ended(error.message));
  child.once('exit', () => ended(errorText.trim() || 'the worker ended'));
  const send: (message: ToWorker) => void = openChannel(child.stdout, child.stdin, {
    maxCharacters: fromWorkerCharacters,
    onMessage: (message) => onMessage(message as FromWorker),
    // The end of the process follows, or is brought about.
    onBroken: kill,
  });

  function kill(): void {
    if (pid !== undefined) killGroup(pid);
  }

  function ended(reason: string): void {
    if (gone.signal.aborted) return;
    // The browser, if the worker ended before it.
    kill();
    if (pid !== undefined) groups.delete(pid);
    release();
    onExited();
    gone.abort(reason);
  }

  async function remove(): Promise<void> {
    kill();
    await exited;
    for (const folder of [browserFolder, results]) {
      await folder.remove().catch((error: unknown) => {
        log.warn({ err: error, folder: folder.path }, 'a folder of a render worker could not be removed yet');
      });
    }
  }

  return {
    pid,
    browserFolder: browserFolder.path,
    resultsFolder: results.path,
    gone: gone.signal,
    send,
    kill,
    close: () => (closing ??= remove()),
  };
}
