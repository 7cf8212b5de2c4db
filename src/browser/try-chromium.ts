// The tests that a browser must pass before renders get it: the egress wall and the fonts at every start, and before a new one takes the place
// of another, a picture and a PDF as well.
import { open } from 'node:fs/promises';
import type { Rendered, RenderedFile } from '#browser/browser.ts';
import {
  noAccess,
  noChanges,
  plainPdf,
  plainPicture,
  plainView,
  type Output,
  type Task,
} from '#browser/job.ts';
import { startWorker, WorkerStartError, type Worker, type WorkerOptions } from '#browser/worker/worker.ts';

export type Base = Omit<WorkerOptions, 'sandboxed' | 'isTested'>;

export interface Tried {
  worker: Worker;
  /** Why the sandbox is off; null if it is on. */
  sandboxProblem: string | null;
}

const size = { width: 400, height: 300 };
const renderMs = 60_000;
const document =
  '<!doctype html><title>Test</title><body style="background:#fed"><h1>A page</h1><p>with text.';

/** Rejects with the name of the test that the browser has failed. */
export async function tryAll(base: Base): Promise<Pick<Tried, 'sandboxProblem'>> {
  const { worker } = await startWithSandbox(base, false);
  try {
    await named('a picture', async () => {
      await using made = await make(worker, plainPicture);
      const [file] = made.outputs;
      if (file?.width !== size.width || file.height !== size.height) throw new Error('its size is wrong');
      await expectStart(file, '\x89PNG');
    });
    await named('a PDF', async () => {
      await using made = await make(worker, { ...plainPdf, paper: { width: 4, height: 3 } });
      const [file] = made.outputs;
      if (file?.pages !== 1) throw new Error('its number of pages is wrong');
      await expectStart(file, '%PDF-');
    });
  } finally {
    await worker.close();
  }
  const tested = await named('the egress wall and the fonts', () => startTested(base));
  await tested.worker.close();
  if (tested.worker.started.drawing?.blankScripts.includes('Latin') === true)
    throw new Error('failed the test of the fonts: it draws no text');
  return tested;
}

async function named<T>(what: string, test: () => Promise<T>): Promise<T> {
  try {
    return await test();
  } catch (error) {
    throw new Error(`failed the test of ${what}: ${(error as Error).message}`, { cause: error });
  }
}

function make(worker: Worker, output: Output): Promise<Rendered> {
  const task: Task = {
    source: { kind: 'html', text: document, baseUrl: null, files: [] },
    view: { ...plainView, ...size },
    access: noAccess,
    changes: noChanges,
    waits: { until: 'load', for: [], delayMs: 0, settles: false, failOn: [], navigationMs: renderMs },
    outputs: [output],
    timeoutMs: renderMs,
    egress: { allow: [] },
  };
  const options = { leftMs: renderMs, phases: undefined, signal: AbortSignal.timeout(renderMs) };
  return worker.render(task, options).result;
}

async function expectStart({ path }: RenderedFile, start: string): Promise<void> {
  await using file = await open(path);
  const { buffer } = await file.read(Buffer.alloc(start.length), 0, start.length, 0);
  if (buffer.toString('latin1') !== start) throw new Error('the file is of another type');
}

/** Rejects a browser that must not be used. */
export async function startTested(base: Base): Promise<Tried> {
  const tried = await startWithSandbox(base, true);
  const { version, wall, drawing } = tried.worker.started;
  const isLeaking = !wall || wall.leaks.tcp + wall.leaks.udp > 0;
  if (!isLeaking && drawing?.drawsBelowViewport === true) return tried;
  await tried.worker.close();
  throw new Error(
    isLeaking
      ? `The browser can reach the network past the egress proxy: ${JSON.stringify(wall)}`
      : 'This browser does not draw pages below the viewport, so full-page captures would be blank there. ' +
          `Set CHROMIUM_PATH to another one (this is ${version}).`,
  );
}

// What Chromium prints if the system denies it its sandbox: no user namespaces, no setuid helper.
const sandboxRefusal =
  /no usable sandbox|suid sandbox helper|failed to move to new namespace|without --no-sandbox|credentials\.cc/i;

/**
 * Starts without the sandbox only if the system is known to refuse it, and never silently: the log and `about` report it. Any
 * other failure, such as a start that took too long on a busy machine, is retried once with the sandbox on.
 */
async function startWithSandbox(base: Base, isTested: boolean): Promise<Tried> {
  for (let isRetry = false; ; isRetry = true) {
    try {
      return { worker: await startWorker({ ...base, isTested, sandboxed: true }), sandboxProblem: null };
    } catch (error) {
      const isRefused = error instanceof WorkerStartError && sandboxRefusal.test(error.detail);
      if (isRefused) {
        const worker = await startWorker({ ...base, isTested, sandboxed: false });
        return { worker, sandboxProblem: error.message };
      }
      if (isRetry) throw error;
    }
  }
}
