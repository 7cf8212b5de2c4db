// The browser as a pool of render workers, each with a Chromium of its own. Spec 4.3, 4.4.
import type { Phases } from '#core/phases.ts';
import { memory } from '#browser/process/memory.ts';
import { RenderFailure, type Browser, type Rendered } from '#browser/browser.ts';
import type { Task } from '#browser/job.ts';
import { picturesAtOnce, type PictureTask } from '#browser/picture-job.ts';
import { createPool, type RecycleLimits } from '#browser/pool.ts';
import { createDeadline } from '#browser/process/deadline.ts';
import { startChromium, type StartOptions } from '#browser/start-chromium.ts';
import type { MemoryLimits } from '#browser/worker/judge.ts';
import type { RenderOptions } from '#browser/worker/worker.ts';

export interface ChromiumBrowserOptions extends StartOptions {
  /** Renders that may run at once. */
  concurrency: number;
  recycle?: Partial<RecycleLimits>;
  /** After which the last worker ends too. Without it, one always stays. */
  restAfterMs?: number;
  memory?: Partial<MemoryLimits>;
}

const GiB = 1024 ** 3;
const defaultRecycle: RecycleLimits = { renders: 500, ageMs: 60 * 60_000, bytes: GiB };
const defaultMemory: MemoryLimits = {
  workerBytes: GiB / 2,
  renderBytes: 2 * GiB,
  leftBytes: memory.leftBytes,
};
// With less time left than this, a second attempt would fail too.
const retryMs = 5_000;
/** A picture has its time from the moment it has a worker, which may have to be started. */
const startMs = 30_000;

export async function createChromiumBrowser(options: ChromiumBrowserOptions): Promise<Browser> {
  const { log, concurrency } = options;
  const chromium = await startChromium({
    ...options,
    // A blank page takes 16 MB. More are opened when renders ask for them, a few at a time.
    warmPages: Math.max(2, Math.ceil(concurrency / 4)),
  });
  const pool = await createPool({
    start: chromium.start,
    places: concurrency + picturesAtOnce,
    recycle: { ...defaultRecycle, ...options.recycle },
    restAfterMs: options.restAfterMs ?? Infinity,
    memory: { ...defaultMemory, ...options.memory },
    log,
  });

  /**
   * A render that lost its worker, perhaps to another render of its account, or its page to the browser, is tried once more, in a worker of
   * its own.
   */
  async function run(
    account: string,
    task: Task | PictureTask,
    {
      phases,
      caller,
      timeoutMs = task.timeoutMs,
    }: { phases?: Phases | undefined; caller: AbortSignal; timeoutMs?: number },
  ): Promise<Rendered> {
    const endsAt = performance.now() + timeoutMs;
    const attempt = async (work: (attempt: RenderOptions) => Promise<Rendered>): Promise<Rendered> => {
      const leftMs = endsAt - performance.now();
      const deadline = createDeadline(timeoutMs, leftMs, caller);
      try {
        return await work({ leftMs, phases, signal: deadline.signal });
      } finally {
        deadline.end();
      }
    };
    try {
      return await attempt((given) => pool.render(account, task, given));
    } catch (error) {
      const isLost = error instanceof RenderFailure && error.browserLost;
      if (!isLost || endsAt - performance.now() < retryMs) throw error;
      log.warn({ err: error }, 'a render is tried once more');
      return await attempt((given) => pool.renderAlone(task, given));
    }
  }

  return {
    get about() {
      return chromium.about;
    },
    render: ({ phases, account = '', ...task }, caller) => run(account, task, { phases, caller }),
    makePicture: (account, task, caller) =>
      run(account, task, { caller, timeoutMs: task.timeoutMs + startMs }),
    check: () => pool.check(),
    workerCounts: () => pool.counts(),
    async renew() {
      if (await chromium.renew()) await pool.renew();
    },
    async close() {
      await pool.close();
      await chromium.close();
    },
  };
}
