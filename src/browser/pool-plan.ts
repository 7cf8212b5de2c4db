// What the pool does next: a function of its members, of the renders that wait and of the time. It gives, starts and ends nothing
// itself; members.ts carries it out.
import type { Worker } from '#browser/worker/worker.ts';

export interface Member {
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

export const newMember = (worker: Worker, now: number): Member => ({
  worker,
  account: undefined,
  users: 0,
  idleSince: now,
  isReplaced: false,
  isRetired: false,
});

interface State<Waiter> {
  members: ReadonlySet<Member>;
  /** Renders without a worker, in their order. */
  waiting: ReadonlySet<Waiter>;
  /** Workers that are being started. */
  starts: number;
  /** The most workers that are kept. */
  places: number;
  /** After which an idle worker ends, unless it is the one used last. */
  endAfterMs: number;
  /** After which that one ends too, as the last worker. */
  restAfterMs: number;
}

interface Plan<Waiter> {
  given: Map<Waiter, Member>;
  /** Workers to start for those who go on waiting. */
  missing: number;
  /** Retired members that have given their last result. */
  retired: Member[];
  /** Idle members that were not used for long. */
  unused: Member[];
  /** The last worker ends because nobody needed it. */
  isRest: boolean;
}

/**
 * A render takes the worker of its account, else an idle one. As many are started as accounts go on waiting. Of the idle workers, those
 * that were used last stay longest: one for as long as others work, and the last one until it may rest.
 */
export function plan<Waiter extends { account: string }>(
  { members, waiting, starts, places, endAfterMs, restAfterMs }: State<Waiter>,
  now: number,
): Plan<Waiter> {
  const free = idle(members);
  const owners = new Map(Array.from(members, (member) => [member, member.account]));
  const given = new Map<Waiter, Member>();
  const without = new Set<string>();
  for (const waiter of waiting) {
    const { account } = waiter;
    const own = [...members].find((member) => owners.get(member) === account && !member.isRetired);
    const member = own ?? free[0];
    if (!member) {
      without.add(account);
      continue;
    }
    given.set(waiter, member);
    owners.set(member, account);
    if (free.includes(member)) free.splice(free.indexOf(member), 1);
  }
  const retired = [...members].filter((member) => member.isRetired && isDone(member));
  const size = members.size - retired.length + starts;
  const unused: Member[] = [];
  for (const member of free.toReversed()) {
    const isLast = size - unused.length === 1;
    const isOld = now - member.idleSince >= (isLast ? restAfterMs : endAfterMs);
    if (isOld && (isLast || free.length - unused.length > 1)) unused.push(member);
  }
  const missing = Math.min(without.size - starts - freeSoon(members), places - size);
  return { given, missing, retired, unused, isRest: size > 0 && unused.length === size };
}

/** New ones first, then the one used last. */
export function idle(members: ReadonlySet<Member>): Member[] {
  const isNew = ({ account }: Member) => Number(account === undefined);
  return [...members]
    .filter(({ users, isRetired }) => users === 0 && !isRetired)
    .toSorted((a, b) => isNew(b) - isNew(a) || b.idleSince - a.idleSince);
}

/** A worker whose last page is being discarded is idle sooner than another has started. */
const freeSoon = (members: ReadonlySet<Member>): number =>
  [...members].filter(({ worker, isRetired }) => worker.running === 0 && worker.undiscarded > 0 && !isRetired)
    .length;

/** All its renders have begun, and their results are there: what is left in it no longer matters. */
const isDone = ({ worker, users }: Member): boolean => worker.running === 0 && worker.undiscarded === users;
