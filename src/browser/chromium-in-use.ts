// A browser that has passed its tests, and the workers that run it: its files are let go when the last of them has ended.
import type { BrowserAbout, Log } from '#browser/browser.ts';
import type { Chromium } from '#browser/install/chromium.ts';
import { describeRelease, isOld, releaseOf } from '#browser/install/releases.ts';
import type { PoolOptions } from '#browser/pool.ts';
import { lowNiceness, workerNiceness } from '#browser/process/priority.ts';
import type { Base, Tried } from '#browser/try-chromium.ts';
import { startWorker, type Worker } from '#browser/worker/worker.ts';

export interface Use {
  id: string;
  about: BrowserAbout;
  wallTried: unknown;
  start: PoolOptions['start'];
  /** No worker starts with it any more. Resolves when the last one has ended. */
  end(): Promise<void>;
}

export function createUse(
  id: string,
  base: Base & { chromium: Chromium },
  tried: Tried,
  release: () => void,
): Use {
  const sandboxed = tried.sandboxProblem === null;
  const unused = Promise.withResolvers<void>();
  let workers = 0;
  let isEnding = false;
  // The worker that passed the tests serves first.
  let ready: Worker | undefined = tried.worker;
  enter();
  leaveWith(tried.worker);

  function enter(): void {
    workers += 1;
  }

  function leave(): void {
    workers -= 1;
    endIfUnused();
  }

  function leaveWith({ gone }: Worker): void {
    if (gone.aborted) leave();
    else gone.addEventListener('abort', leave, { once: true });
  }

  function endIfUnused(): void {
    if (!isEnding || workers > 0) return;
    release();
    unused.resolve();
  }

  return {
    id,
    about: describe(base.chromium, tried),
    wallTried: tried.worker.started.wall?.tried,
    async start({ isLow }) {
      const first = ready;
      ready = undefined;
      if (first && !first.gone.aborted) return first;
      enter();
      const niceness = isLow ? lowNiceness : workerNiceness;
      try {
        const worker = await startWorker({ ...base, sandboxed, isTested: false, niceness });
        leaveWith(worker);
        return worker;
      } catch (error) {
        leave();
        throw error;
      }
    },
    async end() {
      isEnding = true;
      await ready?.close();
      endIfUnused();
      await unused.promise;
    },
  };
}

function describe(chromium: Chromium, { worker, sandboxProblem }: Tried): BrowserAbout {
  return {
    name: chromium.kind === 'full' ? 'Chromium' : 'chrome-headless-shell',
    version: chromium.version,
    path: chromium.executable,
    source: chromium.source,
    releasedAt: releaseOf(chromium.version),
    renewal: chromium.renewal,
    ...(chromium.trust !== undefined && { trust: chromium.trust }),
    sandboxed: sandboxProblem === null,
    sandboxProblem,
    blankScripts: worker.started.drawing?.blankScripts ?? [],
  };
}

export function report({ about, wallTried }: Use, log: Log): void {
  const { name, version, sandboxProblem, blankScripts, releasedAt, renewal } = about;
  log.info({ ...about, wallTried }, 'the browser is ready');
  if (sandboxProblem !== null) {
    log.warn(
      { problem: sandboxProblem },
      'THE BROWSER RUNS WITHOUT ITS SANDBOX: a page that breaks the renderer has the rights of this user. ' +
        'Allow user namespaces for it, or run the service as root, which starts the browser as nobody.',
    );
  }
  if (blankScripts.length > 0)
    log.warn({ scripts: blankScripts }, 'text in these scripts would be invisible: install fonts for them');
  const age = `${name} ${version}, ${describeRelease(releasedAt, Date.now())}`;
  if (isOld(releasedAt, Date.now()))
    log.warn({ releasedAt }, `the browser is old and lacks security fixes: ${age}; to renew it: ${renewal}`);
  else log.info({ releasedAt }, `the browser is ${age}`);
}
