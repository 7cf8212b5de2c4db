// The render workers of the service. A render takes the worker of its account, else an idle one, else a new one, so that no worker ever
// holds pages of two accounts at the same time. Workers are replaced by number of renders, age and memory; the replacement is ready
// first.
import type { Rendered, WorkerCounts } from '#browser/browser.ts';
import { within } from '#browser/process/deadline.ts';
import { createMembers, stopping, type MembersOptions, type Waiter } from '#browser/members.ts';
import { idle, type Member } from '#browser/pool-plan.ts';
import { createJudge, type MemoryLimits } from '#browser/worker/judge.ts';
import type { Task } from '#browser/job.ts';
import type { PictureTask } from '#browser/picture-job.ts';
import type { RenderOptions, Worker } from '#browser/worker/worker.ts';

export interface RecycleLimits {
  renders: number;
  ageMs: number;
  bytes: number;
}

export interface PoolOptions extends MembersOptions {
  recycle: RecycleLimits;
  memory: MemoryLimits;
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

const checkMs = 5_000;
// Half a second later a new worker would have started.
const handOverMs = 500;
// If no worker was idle for so long, one more is started: another account may come.
const spareMs = 1_000;

export async function createPool(options: PoolOptions): Promise<Pool> {
  const { places, memory } = options;
  const members = createMembers(options);
  const { background, counts, present, starts } = members;
  const alone = new Set<Worker>();
  const workers = () => [...Array.from(present, ({ worker }) => worker), ...alone];
  const judge = createJudge(workers, memory);
  const lend = createLending(members, judge.bytesOf, options);
  let spareTimer: NodeJS.Timeout | undefined;
  await starts.grow();

  function keepSpare(): void {
    const isWanted = () => idle(present).length === 0 && present.size < places && !members.isClosed();
    if (!isWanted()) return;
    spareTimer ??= setTimeout(() => {
      spareTimer = undefined;
      if (isWanted()) background.run(starts.growOnce(), 'a spare render worker did not start');
    }, spareMs).unref();
  }

  function refuseIfClosed(): void {
    if (members.isClosed()) throw stopping();
  }

  return {
    async render(account, task, options) {
      refuseIfClosed();
      const member = await lend.take(account, options.signal);
      keepSpare();
      judge.watch();
      const { result, discarded } = member.worker.render(task, options);
      background.run(
        discarded.then(() => lend.release(member)),
        'a render worker was not released',
      );
      // A retired worker ends with its last result.
      return result.finally(members.step);
    },
    async renderAlone(task, options) {
      refuseIfClosed();
      const started = starts.begin({ isLow: true });
      const worker = await within(started, options.signal).catch((error: unknown) => {
        started.then(
          (late) => background.run(late.close(), 'a render worker did not end'),
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
        background.run(worker.close(), 'a render worker did not end');
      }
    },
    async check() {
      refuseIfClosed();
      if (members.isResting()) return;
      const asked = present.size > 0 ? [...present] : [await starts.growOnce()];
      await Promise.any(asked.map(({ worker }) => worker.ask('check', checkMs)));
    },
    counts: () => counts,
    async renew() {
      const before = [...starts.underWay];
      const old = [...present];
      await starts.grow();
      const late = (await Promise.allSettled(before)).flatMap((start) =>
        start.status === 'fulfilled' ? [start.value] : [],
      );
      for (const member of [...old, ...late]) {
        if (!present.has(member) || member.isRetired) continue;
        counts.replaced += 1;
        members.retire(member);
      }
    },
    async close() {
      clearTimeout(spareTimer);
      judge.stop();
      await members.close();
      await Promise.all(workers().map((worker) => worker.close()));
      await background.ended();
    },
  };
}

/** Gives a worker to a render and takes it back, and replaces it if it has done enough. */
function createLending(
  members: ReturnType<typeof createMembers>,
  bytesOf: (worker: Worker) => number,
  { recycle, log }: PoolOptions,
) {
  const { background, counts, present, starts, waiting } = members;

  async function take(account: string, signal: AbortSignal): Promise<Member> {
    const waiter: Waiter = { account, ...Promise.withResolvers() };
    waiting.add(waiter);
    members.step();
    const { member, lastAccount } = await within(waiter.promise, signal).catch((error: Error) => {
      members.refuse(waiter, error);
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
      members.retire(member);
      release(member);
      return take(account, signal);
    }
  }

  function release(member: Member): void {
    member.users -= 1;
    const why = whyReplace(member);
    if (why !== undefined) background.run(replace(member, why), 'a render worker could not be replaced');
    if (member.users === 0) {
      member.idleSince = performance.now();
      members.stepWhenUnused();
    }
    members.step();
  }

  function whyReplace({ worker, isReplaced, isRetired }: Member): string | undefined {
    if (isReplaced || isRetired) return undefined;
    if (worker.served >= recycle.renders) return 'renders served';
    if (performance.now() - worker.startedAt > recycle.ageMs) return 'age';
    return bytesOf(worker) > recycle.bytes ? 'memory' : undefined;
  }

  /** Make before break: if there is no other idle worker, one is started first. */
  async function replace(member: Member, why: string): Promise<void> {
    member.isReplaced = true;
    if (!idle(present).some((other) => other !== member))
      await starts.growOnce().finally(() => (member.isReplaced = false));
    if (member.isRetired) return;
    log.info({ pid: member.worker.pid, served: member.worker.served, why }, 'a render worker is replaced');
    counts.replaced += 1;
    members.retire(member);
  }

  return { take, release };
}
