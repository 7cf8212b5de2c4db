// The members of the pool and the renders that wait for one. Whatever happens to either, the next step follows from pool-plan.ts.
import { RenderFailure, type Log, type WorkerCounts } from '#browser/browser.ts';
import { createBackground } from '#browser/background.ts';
import { newMember, plan, type Member } from '#browser/pool-plan.ts';
import { createStarts, type StartWorker } from '#browser/starts.ts';
import type { Worker } from '#browser/worker/worker.ts';

export interface MembersOptions {
  start: StartWorker;
  /** Renders and pictures that may be made at once, and so the most workers that are kept. */
  places: number;
  /** After which the last worker ends too; Infinity for never. */
  restAfterMs: number;
  log: Log;
}

interface Given {
  member: Member;
  /** That the worker worked for before; undefined if it is new. */
  lastAccount: string | undefined;
}

export interface Waiter extends PromiseWithResolvers<Given> {
  account: string;
}

// Idle workers end after this time at most, except the one that was used last: see `restAfterMs`.
const idleMs = 5 * 60_000;

export function createMembers({ start, places, restAfterMs, log }: MembersOptions) {
  const members = new Set<Member>();
  /** Renders without a worker, in their order. */
  const waiting = new Set<Waiter>();
  const background = createBackground(log);
  const endAfterMs = Math.min(idleMs, restAfterMs);
  const counts: WorkerCounts = { started: 0, replaced: 0, lost: 0, idle: 0 };
  let isClosed = false;
  /** The last worker has ended because nobody needed it. The next render starts one. */
  let isResting = false;
  const starts = createStarts({ start, counts, join, onBegin: () => (isResting = false), onEnd: step });

  function step(): void {
    const state = { members, waiting, starts: starts.underWay.size, places, endAfterMs, restAfterMs };
    const { given, missing, retired, unused, isRest } = plan(state, performance.now());
    for (const [waiter, member] of given) {
      waiting.delete(waiter);
      waiter.resolve({ member, lastAccount: member.account });
      member.account = waiter.account;
      member.users += 1;
    }
    const ended = [...retired, ...unused];
    for (const member of ended) members.delete(member);
    counts.idle += unused.length;
    isResting ||= isRest;
    for (let count = missing; count > 0; count -= 1)
      background.run(starts.grow(refuseFirst), 'a render worker did not start');
    // At the end: what ends may take the next step at once.
    for (const { worker } of ended) background.run(worker.close(), 'a render worker did not end');
  }

  async function join(worker: Worker): Promise<Member> {
    if (isClosed) {
      await worker.close();
      throw stopping();
    }
    const member = newMember(worker, performance.now());
    members.add(member);
    stepWhenUnused();
    worker.worn.addEventListener('abort', () => wearOut(member), { once: true });
    worker.gone.addEventListener('abort', () => forget(member), { once: true });
    return member;
  }

  function stepWhenUnused(): void {
    // A timer may be early by a millisecond.
    for (const ms of [endAfterMs, restAfterMs]) if (ms < Infinity) setTimeout(step, ms + 1).unref();
  }

  function wearOut(member: Member): void {
    // One that the pool has ended is no member any more.
    if (members.has(member) && !member.isRetired && !isClosed) counts.lost += 1;
    retire(member);
  }

  /** Another is started, so that the next render does not wait. If that start fails, the next render starts one. */
  function forget(member: Member): void {
    members.delete(member);
    step();
    if (members.size === 0 && !isResting && !isClosed)
      background.run(starts.growOnce(), 'a render worker did not start again');
  }

  /** It takes no more renders, and ends with the last result of those that it has. */
  function retire(member: Member): void {
    member.isRetired = true;
    step();
  }

  /** The renders of the account that waits longest: the start that failed was for them. */
  function refuseFirst(error: Error): void {
    const [{ account } = {}] = waiting;
    for (const waiter of waiting) if (waiter.account === account) refuse(waiter, error);
  }

  function refuse(waiter: Waiter, error: Error): void {
    waiting.delete(waiter);
    waiter.reject(error);
  }

  return {
    present: members,
    waiting,
    starts,
    background,
    counts,
    isClosed: () => isClosed,
    isResting: () => isResting,
    step,
    stepWhenUnused,
    retire,
    refuse,
    async close(): Promise<void> {
      isClosed = true;
      for (const waiter of waiting) refuse(waiter, stopping());
      await Promise.allSettled(starts.underWay);
    },
  };
}

export const stopping = () => new RenderFailure('aborted', 'the service is stopping');
