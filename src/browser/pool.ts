// Keeps one browser ready and replaces it in time: by number of renders, age and memory, when it hangs, and at once when it is
// lost. A replacement is ready before the old browser ends.
import { RenderFailure } from '#browser/browser.ts';
import type { Log } from '#browser/browser.ts';
import type { ChromiumProcess } from '#browser/process/chromium-process.ts';
import type { Priority } from '#browser/process/priority.ts';
import { within } from '#browser/process/deadline.ts';
import type { Host } from '#browser/host.ts';
import type { Page } from '#browser/page/page.ts';

export interface RecycleLimits {
  renders: number;
  ageMs: number;
  browserBytes: number;
}

export interface PoolOptions {
  launch: (priority: Priority) => Promise<ChromiumProcess>;
  createHost: (process: ChromiumProcess, isSeparate: boolean) => Host;
  recycle: RecycleLimits;
  log: Log;
}

type Lend = <T>(signal: AbortSignal, work: (page: Page) => Promise<T>) => Promise<T>;

export interface Pool {
  /** Gives `work` its own page, and discards the page however `work` ends. */
  lend: Lend;
  /** Uses a separate browser: for a render that may have crashed the last one, and could do the same to other renders. */
  lendAlone(priority: Priority, onExhausted: () => void): Lend;
  /** Rejects if the browser does not answer. */
  check(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

const lookMs = 100;

export async function createPool({ launch, createHost, recycle, log }: PoolOptions): Promise<Pool> {
  const hosts = new Set<Host>();
  /** Browsers of one render, and what to call if it would keep others from being drawn. */
  const separate = new Map<Host, () => void>();
  const underWay = new Set<Promise<void>>();
  let current: Promise<Host> = start();
  let succeeding: Promise<void> | undefined;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  await current;

  /** Runs work that nobody waits for, and logs its failure. */
  function inBackground(work: Promise<unknown>, failed: string): void {
    const done: Promise<void> = work
      .then(
        () => {},
        (error: unknown) => log.error({ err: error }, failed),
      )
      .finally(() => underWay.delete(done));
    underWay.add(done);
  }

  async function open(priority: Priority, isSeparate: boolean): Promise<Host> {
    const host = createHost(await launch(priority), isSeparate);
    hosts.add(host);
    host.process.gone.addEventListener(
      'abort',
      () => {
        hosts.delete(host);
        if (!isClosed) inBackground(replaceIfCurrent(host), 'the browser was not replaced');
      },
      { once: true },
    );
    return host;
  }

  async function start(): Promise<Host> {
    const host = await open('usual', false);
    await host.stock();
    return host;
  }

  /** A lost browser: the next render waits for its replacement. */
  async function replaceIfCurrent(lost: Host): Promise<void> {
    const asked = current;
    if ((await asked.catch(() => lost)) !== lost || current !== asked) return;
    log.warn({ pid: lost.process.pid, reason: String(lost.process.gone.reason) }, 'the browser was lost');
    replace(asked);
  }

  /** Starts one browser, even if several callers ask at the same time: nobody would end a second one. */
  function replace(old: Promise<Host>): void {
    if (current !== old) return;
    current = start();
    // If the start fails, the next render tries again.
    current.catch((error: unknown) => log.error({ err: error }, 'the browser did not start again'));
  }

  /** Make before break: renders use the old browser until the new one is ready. */
  function succeed(old: Host, why: string): void {
    succeeding ??= (async () => {
      try {
        const asked = current;
        if ((await asked) !== old || isClosed) return;
        log.info({ pid: old.process.pid, served: old.served, why }, 'the browser is replaced');
        const successor = await start();
        // If the old one was lost in the meantime, it already has another successor.
        const isNeeded = current === asked;
        if (isNeeded) current = Promise.resolve(successor);
        inBackground((isNeeded ? old : successor).retire(), 'the browser that was replaced did not end');
      } catch (error) {
        log.error({ err: error }, 'the browser could not be replaced');
      } finally {
        succeeding = undefined;
      }
    })();
  }

  async function host(): Promise<Host> {
    const asked = current;
    const found = await asked.catch(() => undefined);
    if (found === undefined) replace(asked);
    else if (found.process.gone.aborted) await replaceIfCurrent(found);
    return current;
  }

  function whyReplace(host: Host): string | undefined {
    if (host.served >= recycle.renders) return 'renders served';
    if (performance.now() - host.process.startedAt > recycle.ageMs) return 'age';
    return host.browserBytes > recycle.browserBytes ? 'memory' : undefined;
  }

  async function watch(host: Host): Promise<void> {
    if (await host.check()) return;
    const onExhausted = separate.get(host);
    if (onExhausted) {
      host.lowerDrawing();
      onExhausted();
    } else if (host.active > 1) {
      // Each of its renders is tried once more in its own browser, so it does not matter whose page it was.
      await host.end();
    }
  }

  function watchAll(): void {
    timer ??= setInterval(() => {
      const busy = [...hosts].filter((host) => host.active > 0);
      for (const host of busy) inBackground(watch(host), 'the browser could not be watched');
      if (busy.length > 0) return;
      clearInterval(timer);
      timer = undefined;
    }, lookMs).unref();
  }

  async function finish(host: Host, page: Page): Promise<void> {
    const isDisposed = await host.dispose(page);
    if (isClosed) return;
    if (!isDisposed) return succeed(host, 'it does not answer');
    const why = whyReplace(host);
    if (why !== undefined) succeed(host, why);
    await host.stock();
  }

  async function lendFrom<T>(
    lender: Host,
    signal: AbortSignal,
    work: (page: Page) => Promise<T>,
  ): Promise<T> {
    const page = await lender.take(signal);
    watchAll();
    try {
      return await work(page);
    } finally {
      // The result does not wait for the clean-up.
      inBackground(finish(lender, page), 'a page was not discarded');
    }
  }

  function refuseIfClosed(): void {
    if (isClosed) throw new RenderFailure('aborted', 'the service is stopping');
  }

  return {
    async lend(signal, work) {
      refuseIfClosed();
      return lendFrom(await within(host(), signal), signal, work);
    },
    lendAlone: (priority, onExhausted) => async (signal, work) => {
      refuseIfClosed();
      const lender = await open(priority, true);
      separate.set(lender, onExhausted);
      try {
        return await lendFrom(lender, signal, work);
      } finally {
        separate.delete(lender);
        // Ends the browser as soon as the page is discarded, or now if there was none.
        inBackground(lender.retire(), 'a browser for one render did not end');
      }
    },
    async check(signal) {
      const { process } = await within(host(), signal);
      await process.connection.root.send('Browser.getVersion', undefined, signal);
    },
    async close() {
      isClosed = true;
      clearInterval(timer);
      await succeeding;
      await current.catch(() => {});
      await Promise.all([...hosts].map((host) => host.process.close()));
      await Promise.all(underWay);
    },
  };
}
