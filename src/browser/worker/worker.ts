// The service's side of one render worker: starts the program as a process group in a session of its own, hands it renders, and ends the
// whole group. Nothing of it is left after `close`.
import { spawn } from 'node:child_process';
import { renameSync, unlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { getCompileCacheDir } from 'node:module';
import { join } from 'node:path';
import { newId } from '#core/ids.ts';
import type { Phases } from '#core/phases.ts';
import { RenderFailure, type Log, type Rendered } from '#browser/browser.ts';
import { createPhase, startStepMs, within } from '#browser/process/deadline.ts';
import { endWithService } from '#browser/process/end-with-service.ts';
import { createBrowserFolder } from '#browser/process/browser-folder.ts';
import { createScratchFolder, scratchFile } from '#browser/process/scratch-folder.ts';
import { openChannel } from '#browser/worker/channel.ts';
import type {
  Failed,
  FromWorker,
  Receipt,
  Started,
  StartOrder,
  Task,
  ToWorker,
} from '#browser/worker/messages.ts';

export interface Worker {
  /** Also the id of its process group. */
  readonly pid: number;
  readonly startedAt: number;
  readonly started: Started;
  /** Renders whose result is awaited. */
  readonly running: number;
  /** Renders of which something may be left in the browser. */
  readonly undiscarded: number;
  readonly served: number;
  /** Aborts when the worker can take no more renders; those under way may still finish. */
  readonly worn: AbortSignal;
  /** Aborts when it is gone. */
  readonly gone: AbortSignal;
  render(task: Task, options: RenderOptions): WorkerRender;
  /** Rejects if there is no answer in time: of the worker (`ping`), of its browser (`check`), of all that its pages share (`rest`). */
  ask(question: 'ping' | 'check' | 'rest', withinMs: number): Promise<void>;
  /** Ends it because of what a page did. */
  end(because: RenderFailure): void;
  /** Resolves when its processes and folders are gone. */
  close(): Promise<void>;
}

export interface RenderOptions {
  leftMs: number;
  phases: Phases | undefined;
  signal: AbortSignal;
}

interface WorkerRender {
  result: Promise<Rendered>;
  /** Resolves when nothing of the render is left in the worker. */
  discarded: Promise<void>;
}

export interface WorkerOptions extends Omit<StartOrder, 'browserFolder'> {
  /** On the file system of the store. */
  resultsFolder: string;
  log: Log;
}

const program = join(import.meta.dirname, 'main.ts');
const keptErrorCharacters = 4_096;
const never = new AbortController().signal;
/** As for the largest PDF. */
const resultLimitBytes = 256 * 1024 ** 2;
/** The phases that a worker reports. */
const knownPhases: ReadonlySet<string> = new Set(['navigate', 'settle', 'capture', 'encode']);
const lost = () =>
  new RenderFailure('crashed', 'the browser was lost during the render', { browserLost: true });

/** The browser did not start; `detail` is what it printed before it exited. */
export class WorkerStartError extends Error {
  readonly detail: string;

  constructor(message: string, detail: string) {
    super(message);
    this.name = 'WorkerStartError';
    this.detail = detail;
  }
}

/** Of running workers: they end with this process, however it ends. */
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

interface Running {
  phases: Phases | undefined;
  settle(outcome: Rendered | Error): void;
}

export async function startWorker({ resultsFolder, log, ...order }: WorkerOptions): Promise<Worker> {
  const { users } = order;
  const browserFolder = createBrowserFolder(order.chromium.kind, users?.browser ?? null);
  const results = createScratchFolder(resultsFolder, users?.worker ?? null);
  const compileCache = getCompileCacheDir();
  const child = spawn(process.execPath, [...nodeFlags, program], {
    cwd: results.path,
    // A session of its own: one process group to judge and to end, and one share of the processor where Linux groups by session.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: compileCache === undefined ? {} : { NODE_COMPILE_CACHE: compileCache },
  });
  const pid = child.pid;
  const release = pid === undefined ? () => {} : endWithService(pid, log);
  if (pid !== undefined) groups.add(pid);
  const gone = new AbortController();
  const worn = new AbortController();
  const running = new Map<string, Running>();
  const undiscarded = new Map<string, () => void>();
  const asked = new Map<number, () => void>();
  const { promise: ready, resolve: onReady, reject: onRefused } = Promise.withResolvers<Started>();
  const { promise: exited, resolve: onExited } = Promise.withResolvers<void>();
  let errorText = '';
  let served = 0;
  let questions = 0;
  let isEnding = false;

  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errorText = (errorText + text).slice(-keptErrorCharacters);
  });
  child.once('error', (error) => ended(error.message));
  child.once('exit', () => ended(errorText.trim() || 'the worker ended'));
  const send: (message: ToWorker) => void = openChannel(child.stdout, child.stdin, {
    onMessage: (message) => receive(message as FromWorker),
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
    fail(lost());
    gone.abort(reason);
    onRefused(new WorkerStartError(`The browser did not start: ${reason}`, reason));
    if (!isEnding) log.warn({ pid, reason }, 'a render worker was lost');
    close().catch((error: unknown) => log.error({ err: error }, 'a render worker was not cleaned up'));
    onExited();
  }

  function fail(failure: RenderFailure): void {
    for (const render of running.values()) render.settle(failure);
    for (const discard of undiscarded.values()) discard();
    undiscarded.clear();
    worn.abort(failure.message);
  }

  function receive(message: FromWorker): void {
    if ('started' in message) onReady(message.started);
    else if ('refused' in message)
      onRefused(new WorkerStartError(message.refused.message, message.refused.detail));
    else if ('pong' in message) asked.get(message.pong)?.();
    else if ('worn' in message) worn.abort(message.worn);
    else if ('phase' in message) note(message.render, message.phase);
    else if ('receipt' in message) deliver(message.render, message.receipt);
    else if ('failed' in message) running.get(message.render)?.settle(toFailure(message.failed));
    else if ('broke' in message) running.get(message.render)?.settle(new Error(message.broke));
    else if ('discarded' in message) discard(message.render);
  }

  function note(id: string, phase: string): void {
    if (knownPhases.has(phase)) running.get(id)?.phases?.begin(phase);
  }

  function deliver(id: string, { sizeBytes, sha256 }: Receipt): void {
    try {
      if (!(sizeBytes <= resultLimitBytes) || !/^[0-9a-f]{64}$/.test(sha256))
        throw new Error('the receipt of a render is not valid');
      // Out of the worker's reach, and not removed with its folder. A rename does not wait for the disk.
      const path = scratchFile(resultsFolder);
      renameSync(join(results.path, id), path);
      const render = running.get(id);
      const remove = () => rm(path, { force: true });
      if (render) render.settle({ path, sizeBytes, sha256, [Symbol.asyncDispose]: remove });
      // Nobody waits for it any more.
      else unlinkSync(path);
    } catch (error) {
      running.get(id)?.settle(error as Error);
    }
  }

  function discard(id: string): void {
    undiscarded.get(id)?.();
    undiscarded.delete(id);
  }

  let closing: Promise<void> | undefined;
  function close(): Promise<void> {
    closing ??= (async () => {
      isEnding = true;
      kill();
      await exited;
      await Promise.all(
        [browserFolder, results].map((folder) =>
          folder.remove().catch((error: unknown) => {
            log.warn(
              { err: error, folder: folder.path },
              'a folder of a render worker could not be removed yet',
            );
          }),
        ),
      );
    })();
    return closing;
  }

  send({ start: { ...order, browserFolder: browserFolder.path } });
  const starting = createPhase(
    never,
    2 * startStepMs,
    () => new Error('a render worker did not start in time'),
  );
  const started = await within(ready, starting.signal)
    .catch(async (error: unknown) => {
      await close();
      throw error;
    })
    .finally(starting.end);

  return {
    pid: pid!,
    startedAt: performance.now(),
    started,
    get running() {
      return running.size;
    },
    get undiscarded() {
      return undiscarded.size;
    },
    get served() {
      return served;
    },
    worn: worn.signal,
    gone: gone.signal,
    render(task, { leftMs, phases, signal }) {
      const id = newId();
      served += 1;
      const { promise: discarded, resolve: onDiscarded } = Promise.withResolvers<void>();
      const result = new Promise<Rendered>((resolve, reject) => {
        const abort = () => {
          send({ abort: id });
          settle(signal.reason as Error);
        };
        function settle(outcome: Rendered | Error): void {
          running.delete(id);
          signal.removeEventListener('abort', abort);
          if (outcome instanceof Error) reject(outcome);
          else resolve(outcome);
        }
        running.set(id, { phases, settle });
        undiscarded.set(id, onDiscarded);
        if (gone.signal.aborted) return fail(lost());
        send({ render: id, task, leftMs });
        signal.addEventListener('abort', abort, { once: true });
        if (signal.aborted) abort();
      });
      return { result, discarded };
    },
    ask(question, withinMs) {
      questions += 1;
      const number = questions;
      const { promise, resolve } = Promise.withResolvers<void>();
      asked.set(number, resolve);
      send({ [question]: number } as ToWorker);
      const phase = createPhase(gone.signal, withinMs, () => new Error('the browser does not answer'));
      return within(promise, phase.signal).finally(() => {
        phase.end();
        asked.delete(number);
      });
    },
    end(because) {
      isEnding = true;
      log.warn(
        { pid, renders: running.size, because: because.message },
        'a render worker was ended for what a page did',
      );
      fail(because);
      kill();
    },
    close,
  };
}

/** A small heap: by default V8 lets it grow to three times the live data before it collects. */
const nodeFlags = ['--heap-growing-percent=70', '--semi-space-growth-factor=1'];

function toFailure({ reason, message, cause, browserLost }: Failed): RenderFailure {
  return new RenderFailure(reason, message, { cause, browserLost });
}
