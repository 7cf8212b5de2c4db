// The service's side of one render worker: hands it renders, takes their files over, and ends it.
import { renameSync, unlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '#core/ids.ts';
import type { Phases } from '#core/phases.ts';
import type { Task } from '#browser/job.ts';
import { PictureDeclined, type PictureTask } from '#browser/picture-job.ts';
import { RenderFailure, type Log, type Rendered } from '#browser/browser.ts';
import { createPhase, startStepMs, within } from '#browser/process/deadline.ts';
import { scratchFile } from '#browser/process/scratch-folder.ts';
import { createHandOver } from '#browser/worker/hand-over.ts';
import {
  fileOf,
  type Failed,
  type FromWorker,
  type Started,
  type StartOrder,
  type ToWorker,
} from '#browser/worker/messages.ts';
import { readComplaint, readDeclined, readFailed, readReceipt } from '#browser/worker/receipt.ts';
import { startProcess } from '#browser/worker/worker-process.ts';

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
  /** Also makes a picture of a picture. */
  render(task: Task | PictureTask, options: RenderOptions): WorkerRender;
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

const never = new AbortController().signal;
/** The phases that a worker reports. */
const knownPhases: ReadonlySet<string> = new Set(['navigate', 'settle', 'capture', 'encode']);
/** In the log, of one worker. */
const maxComplaints = 100;
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

interface Running {
  phases: Phases | undefined;
  settle(outcome: Rendered | Error): void;
}

export async function startWorker({ resultsFolder, log, ...order }: WorkerOptions): Promise<Worker> {
  const worn = new AbortController();
  const running = new Map<string, Running>();
  const undiscarded = new Map<string, () => void>();
  const asked = new Map<number, () => void>();
  const { promise: ready, resolve: onReady, reject: onRefused } = Promise.withResolvers<Started>();
  let served = 0;
  let questions = 0;
  let complaints = 0;
  let isEnding = false;
  const { pid, gone, send, kill, ...processes } = startProcess({
    ...order,
    resultsFolder,
    onMessage: receive,
    log,
  });
  const handOver = createHandOver(processes.resultsFolder, order.users?.worker ?? null);
  gone.addEventListener('abort', () => {
    const reason = String(gone.reason);
    fail(lost());
    onRefused(new WorkerStartError(`The browser did not start: ${reason}`, reason));
    if (!isEnding) log.warn({ pid, reason }, 'a render worker was lost');
    close().catch((error: unknown) => log.error({ err: error }, 'a render worker was not cleaned up'));
  });

  function close(): Promise<void> {
    isEnding = true;
    return processes.close();
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
    else if ('complaint' in message) passOn(message.complaint);
    else if ('worn' in message) worn.abort(message.worn);
    else if ('phase' in message) note(message.render, message.phase);
    else if ('receipt' in message) deliver(message.render, message.receipt);
    else if ('failed' in message) running.get(message.render)?.settle(toFailure(readFailed(message.failed)));
    else if ('declined' in message)
      running.get(message.render)?.settle(new PictureDeclined(readDeclined(message.declined)));
    else if ('broke' in message) running.get(message.render)?.settle(new Error(message.broke));
    else if ('discarded' in message) discard(message.render);
  }

  function begin(id: string, task: Task | PictureTask, leftMs: number): void {
    const copied = handOver.give(id, task);
    if (!copied) return send({ render: id, task, leftMs });
    copied.then(
      (given) => (running.has(id) ? send({ render: id, task: given, leftMs }) : discard(id)),
      (error: Error) => {
        running.get(id)?.settle(error);
        discard(id);
      },
    );
  }

  async function takeBack(id: string): Promise<void> {
    await handOver.takeBack(id).catch((error: unknown) => {
      log.warn({ err: error }, 'the files of a request could not be removed yet');
    });
  }

  function passOn(complaint: string): void {
    complaints += 1;
    if (complaints > maxComplaints) return;
    log.warn({ pid, complaint: readComplaint(complaint) }, 'the browser ended the process of a page');
  }

  function note(id: string, phase: string): void {
    if (knownPhases.has(phase)) running.get(id)?.phases?.begin(phase);
  }

  function deliver(id: string, given: unknown): void {
    const paths: string[] = [];
    try {
      const { outputs, page } = readReceipt(given);
      const files = outputs.map((output, index) => {
        // Out of the worker's reach, and not removed with its folder. A rename does not wait for the disk.
        const path = scratchFile(resultsFolder);
        renameSync(join(processes.resultsFolder, fileOf(id, index)), path);
        paths.push(path);
        return { ...output, path };
      });
      const render = running.get(id);
      const remove = async () => {
        for (const path of paths) await rm(path, { force: true });
      };
      if (render) render.settle({ outputs: files, page, [Symbol.asyncDispose]: remove });
      // Nobody waits for them any more.
      else for (const path of paths) unlinkSync(path);
    } catch (error) {
      for (const path of paths) unlinkSync(path);
      running.get(id)?.settle(error as Error);
    }
  }

  function discard(id: string): void {
    undiscarded.get(id)?.();
    undiscarded.delete(id);
  }

  send({ start: { ...order, browserFolder: processes.browserFolder } });
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
    gone,
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
        if (gone.aborted) return fail(lost());
        begin(id, task, leftMs);
        signal.addEventListener('abort', abort, { once: true });
        if (signal.aborted) abort();
      });
      return { result, discarded: discarded.then(() => takeBack(id)) };
    },
    ask(question, withinMs) {
      questions += 1;
      const number = questions;
      const { promise, resolve } = Promise.withResolvers<void>();
      asked.set(number, resolve);
      send({ [question]: number } as ToWorker);
      const phase = createPhase(gone, withinMs, () => new Error('the browser does not answer'));
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

function toFailure({ reason, message, field, warnings, cause, browserLost }: Failed): RenderFailure {
  const told = { ...(field !== undefined && { field }), ...(warnings && { warnings }) };
  return new RenderFailure(reason, message, { cause, browserLost, ...told });
}
