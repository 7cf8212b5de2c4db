// The render workers of the service. A render takes the worker of its account, else an idle one, else a new one, so that no worker ever
// holds pages of two accounts at the same time. Workers are replaced by number of renders, age and memory; the replacement is ready
// first.
import { RenderFailure, type Log, type Rendered, type WorkerCounts } from '#browser/browser.ts';
import { within } from '#browser/process/deadline.ts';
import { createJudge, type MemoryLimits } from '#browser/worker/judge.ts';
import type { Task } from '#browser/job.ts';
import type { PictureTask } from '#browser/picture-job.ts';
import type { RenderOptions, Worker } from '#browser/worker/worker.ts';

export interface RecycleLimits {
  renders: number;
  ageMs: number;
  bytes: number;
}

export interface PoolOptions {
  /** `isLow`: with a small share of the processor. */
  start: (options: { isLow: boolean }) => Promise<Worker>;
  /** Renders and pictures that may be made at once, and so the most workers that are kept. */
  places: number;
  recycle: RecycleLimits;
  /** After which the last worker ends too; Infinity for never. */
  restAfterMs: number;
  memory: MemoryLimits;
  log: Log;
}

export interface Pool {
  render(account: string, task: Task | PictureTask, options: RenderOptions): Promise<Rendered>;
  /** In a worker of its own that ends with the render: for one that may have cost others their worker. */
  renderAlone(task: Task | PictureTask, options: RenderOptions): Promise<Rendered>;
  /** Rejects if no worker answers. One that rests has answered until then, and is not woken for it. */
  check(): Promise<void>;
  counts(): WorkerCounts;
  /** Replaces every worker by a new one. Running renders finish in the old ones. */
  renew(): Promise<void>;
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

interface Given {
  member: Member;
  /** That the worker worked for before; undefined if it is new. */
  lastAccount: string | undefined;
}

interface Waiter extends PromiseWithResolvers<Given> {
  account: string;
}

const checkMs = 5_000;
// Half a second later a new worker would have started.
const handOverMs = 500;
// If no worker was idle for so long, one more is started: another account may come.
const spareMs = 1_000;
// Idle workers end after this time at most, except the one that was used last: see `restAfterMs`.
const idleMs = 5 * 60_000;

export async function createPool(options: PoolOptions): Promise<Pool> {
  const { start, places, recycle, restAfterMs, memory, log } = options;
  const members = new Set<Member>();
  const alone = new Set<Worker>();
  /** Renders without a worker, in their order. */
  const waiting = new Set<Waiter>();
  const starts = new Set<Promise<Member>>();
  const underWay = new Set<Promise<void>>();
  const judge = createJudge(() => [...Array.from(members, ({ worker }) => worker), ...alone], memory);
  const endAfterMs = Math.min(idleMs, restAfterMs);
  let spareTimer: NodeJS.Timeout | undefined;
  let isClosed = false;
  /** The last worker has ended because nobody needed it. The next render starts one. */
  let isResting = false;
  const counts: WorkerCounts = { started: 0, replaced: 0, lost: 0, idle: 0 };
  await grow();

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
  async function begin(options: { isLow: boolean }): Promise<Worker> {
    const worker = await start(options).catch((error: unknown) => {
      throw new RenderFailure('crashed', 'the browser could not be started', {
        cause: error,
        browserLost: true,
      });
    });
    counts.started += 1;
    return worker;
  }

  /** Starts a worker for whoever comes first. */
  function grow(onFailure?: (error: Error) => void): Promise<Member> {
    const started = open();
    const settled = () => {
      starts.delete(started);
      serve();
    };
    starts.add(started);
    started.then(settled, (error: Error) => {
      onFailure?.(error);
      settled();
    });
    return started;
  }

  /** A start that is under way will do. */
  function growOnce(): Promise<Member> {
    const [started] = starts;
    return started ?? grow();
  }

  async function open(): Promise<Member> {
    isResting = false;
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
    endLaterIfUnused();
    worker.worn.addEventListener('abort', () => wearOut(member), { once: true });
    worker.gone.addEventListener('abort', () => forget(member), { once: true });
    return member;
  }

  function wearOut(member: Member): void {
    // One that the pool has ended is no member any more.
    if (members.has(member) && !member.isRetired && !isClosed) counts.lost += 1;
    retire(member);
  }

  /** Another is started, so that the next render does not wait. If that start fails, the next render starts one. */
  function forget(member: Member): void {
    members.delete(member);
    serve();
    if (members.size === 0 && !isResting && !isClosed)
      inBackground(growOnce(), 'a render worker did not start again');
  }

  /** New ones first, then the one used last. */
  function idle(): Member[] {
    const isNew = ({ account }: Member) => Number(account === undefined);
    return [...members]
      .filter(({ users, isRetired }) => users === 0 && !isRetired)
      .toSorted((a, b) => isNew(b) - isNew(a) || b.idleSince - a.idleSince);
  }

  function memberFor(account: string): Member | undefined {
    const own = [...members].find((member) => member.account === account && !member.isRetired);
    return own ?? idle()[0];
  }

  /** Gives workers to those who wait, in their order, and starts as many as are missing. */
  function serve(): void {
    for (const waiter of waiting) {
      const member = memberFor(waiter.account);
      if (!member) continue;
      waiting.delete(waiter);
      waiter.resolve({ member, lastAccount: member.account });
      member.account = waiter.account;
      member.users += 1;
    }
    const accounts = new Set(Array.from(waiting, ({ account }) => account)).size;
    const missing = accounts - starts.size - freeSoon();
    const free = places - members.size - starts.size;
    for (let count = Math.min(missing, free); count > 0; count -= 1)
      inBackground(grow(refuseFirst), 'a render worker did not start');
  }

  /** A worker whose last page is being discarded is idle sooner than another has started. */
  function freeSoon(): number {
    const isLeft = ({ worker, isRetired }: Member) =>
      worker.running === 0 && worker.undiscarded > 0 && !isRetired;
    return [...members].filter(isLeft).length;
  }

  /** The renders of the account that waits longest: the start that failed was for them. */
  function refuseFirst(error: Error): void {
    const [first] = waiting;
    for (const waiter of waiting) if (waiter.account === first?.account) refuse(waiter, error);
  }

  function refuse(waiter: Waiter, error: Error): void {
    waiting.delete(waiter);
    waiter.reject(error);
  }

  async function take(account: string, signal: AbortSignal): Promise<Member> {
    const waiter: Waiter = { account, ...Promise.withResolvers<Given>() };
    waiting.add(waiter);
    serve();
    const { member, lastAccount } = await within(waiter.promise, signal).catch((error: Error) => {
      refuse(waiter, error);
      waiter.promise.then(
        ({ member: late }) => release(late),
        () => {},
      );
      throw error;
    });
    if (lastAccount === undefined || lastAccount === account) return member;
    try {
      // Its browser may be busy with what the last account left.
      await member.worker.ask('rest', handOverMs);
      return member;
    } catch {
      retire(member);
      release(member);
      return take(account, signal);
    }
  }

  function release(member: Member): void {
    member.users -= 1;
    const why = whyReplace(member);
    if (why !== undefined) inBackground(replace(member, why), 'a render worker could not be replaced');
    if (member.users === 0) {
      member.idleSince = performance.now();
      if (member.isRetired) end(member);
      else endLaterIfUnused();
    }
    serve();
  }

  function end(member: Member): void {
    members.delete(member);
    serve();
    inBackground(member.worker.close(), 'a render worker did not end');
  }

  function endLaterIfUnused(): void {
    // A timer may be early by a millisecond.
    for (const ms of [endAfterMs, restAfterMs]) if (ms < Infinity) setTimeout(endUnused, ms + 1).unref();
  }

  /** Those that were used last stay longest: one for as long as others work, and the last one until it may rest. */
  function endUnused(): void {
    for (const member of idle().toReversed()) {
      const unusedMs = performance.now() - member.idleSince;
      isResting = members.size === 1 && unusedMs >= restAfterMs;
      if (!isResting && (idle().length === 1 || unusedMs < endAfterMs)) continue;
      counts.idle += 1;
      end(member);
    }
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
      await growOnce().finally(() => (member.isReplaced = false));
    if (member.isRetired) return;
    log.info({ pid: member.worker.pid, served: member.worker.served, why }, 'a render worker is replaced');
    counts.replaced += 1;
    retire(member);
  }

  function keepSpare(): void {
    if (idle().length > 0 || members.size >= places) return;
    spareTimer ??= setTimeout(() => {
      spareTimer = undefined;
      if (idle().length === 0 && members.size < places && !isClosed)
        inBackground(growOnce(), 'a spare render worker did not start');
    }, spareMs).unref();
  }

  function refuseIfClosed(): void {
    if (isClosed) throw stopping();
  }

  return {
    async render(account, task, options) {
      refuseIfClosed();
      const member = await take(account, options.signal);
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
      if (isResting) return;
      const asked = members.size > 0 ? [...members] : [await growOnce()];
      await Promise.any(asked.map(({ worker }) => worker.ask('check', checkMs)));
    },
    counts: () => counts,
    async renew() {
      const before = [...starts];
      const present = [...members];
      await grow();
      const late = (await Promise.allSettled(before)).flatMap((start) =>
        start.status === 'fulfilled' ? [start.value] : [],
      );
      for (const member of [...present, ...late]) {
        if (!members.has(member) || member.isRetired) continue;
        counts.replaced += 1;
        retire(member);
      }
    },
    async close() {
      isClosed = true;
      clearTimeout(spareTimer);
      judge.stop();
      for (const waiter of waiting) refuse(waiter, stopping());
      await Promise.allSettled(starts);
      const workers = [...Array.from(members, ({ worker }) => worker), ...alone];
      await Promise.all(workers.map((worker) => worker.close()));
      await Promise.all(underWay);
    },
  };
}

const stopping = () => new RenderFailure('aborted', 'the service is stopping');
