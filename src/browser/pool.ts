// The render workers of the service. A render takes the worker of its account, else an idle one, else a new one, so that no worker ever
// holds pages of two accounts at the same time. Workers are replaced by number of renders, age and memory; the replacement is ready
// first.
import { RenderFailure, type Log, type Rendered } from '#browser/browser.ts';
import { within } from '#browser/process/deadline.ts';
import { createJudge, type MemoryLimits } from '#browser/worker/judge.ts';
import type { Task } from '#browser/worker/messages.ts';
import type { RenderOptions, Worker } from '#browser/worker/worker.ts';

export interface RecycleLimits {
  renders: number;
  ageMs: number;
  bytes: number;
}

export interface PoolOptions {
  /** `isLow`: with a small share of the processor. */
  start: (options: { isLow: boolean }) => Promise<Worker>;
  /** Renders that may run at once, and so the most workers that are kept. */
  places: number;
  recycle: RecycleLimits;
  memory: MemoryLimits;
  log: Log;
}

export interface Pool {
  render(account: string, task: Task, options: RenderOptions): Promise<Rendered>;
  /** In a worker of its own that ends with the render: for one that may have cost others their worker. */
  renderAlone(task: Task, options: RenderOptions): Promise<Rendered>;
  /** Rejects if no worker answers. */
  check(): Promise<void>;
  close(): Promise<void>;
}

interface Member {
  worker: Worker;
  /** That it works for, or worked for last; undefined if it is new. */
  account: string | undefined;
  /** Renders of which something may be in the worker. */
  users: number;
  idleSince: number;
  /** Its replacement is being started. */
  isReplaced: boolean;
  isRetired: boolean;
}

const checkMs = 5_000;
// Half a second later a new worker would have started.
const handOverMs = 500;
// If no worker was idle for so long, one more is started: another account may come.
const spareMs = 1_000;
// Idle workers end after this time, except the one that was used last.
const idleMs = 5 * 60_000;

export async function createPool({ start, places, recycle, memory, log }: PoolOptions): Promise<Pool> {
  const members = new Set<Member>();
  /** Workers that are being started for an account: its other renders wait for the same. */
  const starting = new Map<string, Promise<Member>>();
  const underWay = new Set<Promise<void>>();
  const alone = new Set<Worker>();
  const judge = createJudge(() => [...Array.from(members, ({ worker }) => worker), ...alone], memory);
  let opening: Promise<Member> | undefined;
  /** Resolves when a worker may be free. */
  let freed = Promise.withResolvers<void>();
  let spareTimer: NodeJS.Timeout | undefined;
  let isClosed = false;
  await open();

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

  /** No page has done anything yet, so another start may succeed. */
  function begin(options: { isLow: boolean }): Promise<Worker> {
    return start(options).catch((error: unknown) => {
      throw new RenderFailure('crashed', 'the browser could not be started', {
        cause: error,
        browserLost: true,
      });
    });
  }

  async function open(): Promise<Member> {
    const worker = await begin({ isLow: false });
    const member: Member = {
      worker,
      account: undefined,
      users: 0,
      idleSince: performance.now(),
      isReplaced: false,
      isRetired: false,
    };
    if (isClosed) {
      await worker.close();
      throw stopping();
    }
    members.add(member);
    worker.worn.addEventListener('abort', () => retire(member), { once: true });
    worker.gone.addEventListener('abort', () => forget(member), { once: true });
    return member;
  }

  /** One is always there: the next render does not wait for a start. */
  function forget(member: Member): void {
    members.delete(member);
    wake();
    if (members.size === 0 && !isClosed) inBackground(openSpare(), 'a render worker did not start again');
  }

  /** For whoever comes next. */
  function openSpare(): Promise<Member> {
    opening ??= open().finally(() => (opening = undefined));
    return opening;
  }

  const isIdle = ({ users, isRetired }: Member): boolean => users === 0 && !isRetired;
  /** New ones first, then the one used last. */
  const idle = (): Member[] =>
    [...members]
      .filter(isIdle)
      .toSorted(
        (a, b) =>
          Number(b.account === undefined) - Number(a.account === undefined) || b.idleSince - a.idleSince,
      );

  function use(member: Member, account: string): Member {
    member.account = account;
    member.users += 1;
    return member;
  }

  async function take(account: string): Promise<Member> {
    const own = [...members].find((member) => member.account === account && !member.isRetired);
    if (own) return use(own, account);
    const [found] = idle();
    if (found) return handOver(found, account);
    if (opening) {
      // Its failure is logged. Then this render starts one.
      await opening.catch(() => {});
      return take(account);
    }
    if (!starting.has(account) && isOneFreeSoon()) {
      await freed.promise;
      return take(account);
    }
    const member = await startFor(account);
    // Another account may have found it idle a moment before.
    return member.account === undefined || member.account === account ? use(member, account) : take(account);
  }

  /** To another account only if its browser is not busy with what the last one left. */
  async function handOver(member: Member, account: string): Promise<Member> {
    const isNew = member.account === undefined;
    use(member, account);
    if (isNew) return member;
    try {
      await member.worker.ask('rest', handOverMs);
      return member;
    } catch {
      retire(member);
      release(member);
      return take(account);
    }
  }

  /** A worker whose last page is being discarded is idle sooner than another has started. If there are enough, one of them will be. */
  function isOneFreeSoon(): boolean {
    const isLeft = ({ worker, isRetired }: Member) =>
      worker.running === 0 && worker.undiscarded > 0 && !isRetired;
    return members.size + starting.size >= places || [...members].some(isLeft);
  }

  function startFor(account: string): Promise<Member> {
    const known = starting.get(account);
    if (known) return known;
    const started = open().finally(() => {
      starting.delete(account);
      wake();
    });
    starting.set(account, started);
    return started;
  }

  function wake(): void {
    freed.resolve();
    freed = Promise.withResolvers();
  }

  function release(member: Member): void {
    member.users -= 1;
    // When this is over, the member may be idle.
    queueMicrotask(wake);
    const why = whyReplace(member);
    if (why !== undefined) inBackground(replace(member, why), 'a render worker could not be replaced');
    if (member.users > 0) return;
    member.idleSince = performance.now();
    if (member.isRetired) end(member);
    else setTimeout(endIfUnused, idleMs, member).unref();
  }

  function end(member: Member): void {
    members.delete(member);
    wake();
    inBackground(member.worker.close(), 'a render worker did not end');
  }

  function endIfUnused(member: Member): void {
    const isUnused = isIdle(member) && performance.now() - member.idleSince >= idleMs;
    if (isUnused && members.has(member) && idle().length > 1) end(member);
  }

  function retire(member: Member): void {
    member.isRetired = true;
    if (member.users === 0 || member.worker.running === 0) end(member);
  }

  function whyReplace({ worker, isReplaced, isRetired }: Member): string | undefined {
    if (isReplaced || isRetired) return undefined;
    if (worker.served >= recycle.renders) return 'renders served';
    if (performance.now() - worker.startedAt > recycle.ageMs) return 'age';
    return judge.bytesOf(worker) > recycle.bytes ? 'memory' : undefined;
  }

  /** Make before break: if there is no other idle worker, one is started first. */
  async function replace(member: Member, why: string): Promise<void> {
    member.isReplaced = true;
    if (!idle().some((other) => other !== member))
      await openSpare().finally(() => (member.isReplaced = false));
    if (member.isRetired) return;
    log.info({ pid: member.worker.pid, served: member.worker.served, why }, 'a render worker is replaced');
    retire(member);
  }

  function keepSpare(): void {
    if (idle().length > 0 || members.size >= places) return;
    spareTimer ??= setTimeout(() => {
      spareTimer = undefined;
      if (idle().length === 0 && members.size < places && !isClosed)
        inBackground(openSpare(), 'a spare render worker did not start');
    }, spareMs).unref();
  }

  function refuseIfClosed(): void {
    if (isClosed) throw stopping();
  }

  return {
    async render(account, task, options) {
      refuseIfClosed();
      const taken = take(account);
      const member = await within(taken, options.signal).catch((error: unknown) => {
        taken.then(release, () => {});
        throw error;
      });
      keepSpare();
      judge.watch();
      const { result, discarded } = member.worker.render(task, options);
      inBackground(
        discarded.then(() => release(member)),
        'a render worker was not released',
      );
      // A retired worker ends with its last result: what is left in it no longer matters.
      return result.finally(() => member.isRetired && retire(member));
    },
    async renderAlone(task, options) {
      refuseIfClosed();
      const started = begin({ isLow: true });
      const worker = await within(started, options.signal).catch((error: unknown) => {
        started.then(
          (late) => inBackground(late.close(), 'a render worker did not end'),
          () => {},
        );
        throw error;
      });
      alone.add(worker);
      judge.watch();
      try {
        return await worker.render(task, options).result;
      } finally {
        alone.delete(worker);
        inBackground(worker.close(), 'a render worker did not end');
      }
    },
    async check() {
      refuseIfClosed();
      const known = [...members].toSorted((a, b) => a.users - b.users);
      const asked = known.length > 0 ? known : [await open()];
      await Promise.any(asked.map(({ worker }) => worker.ask('check', checkMs)));
    },
    async close() {
      isClosed = true;
      clearTimeout(spareTimer);
      judge.stop();
      await Promise.allSettled([opening, ...starting.values()]);
      const workers = [...Array.from(members, ({ worker }) => worker), ...alone];
      await Promise.all(workers.map((worker) => worker.close()));
      await Promise.all(underWay);
    },
  };
}

const stopping = () => new RenderFailure('aborted', 'the service is stopping');
