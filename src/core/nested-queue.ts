// Fair queues inside fair queues: the groups take turns, then the members of each group, and so on down a path. A group with a
// thousand members gets no more turns than a group with one, and its members still share its turns equally.
import { createFairQueue, type FairQueue, type FairQueueOptions, type JobOptions } from '#core/fair-queue.ts';

export type NestedQueueOptions = Required<
  Pick<FairQueueOptions, 'clock' | 'concurrency' | 'maxWaitMs' | 'maxWaiting' | 'tooLong'>
> &
  Pick<FairQueueOptions, 'tooMany'>;

interface Level {
  queue: FairQueue;
  below: Map<string, Level>;
  /** Jobs on their way through; a level without any is dropped. */
  jobs: number;
}

export function createNestedQueue({
  clock,
  concurrency,
  maxWaitMs,
  maxWaiting,
  tooLong,
  tooMany = tooLong,
}: NestedQueueOptions) {
  const createLevel = (atOnce: number): Level => ({
    // The wait is bounded for the whole path, by the signal.
    queue: createFairQueue({ concurrency: atOnce, maxWaiting, tooMany }),
    below: new Map(),
    jobs: 0,
  });
  const top = createLevel(concurrency);
  /** Jobs that run or wait, anywhere. */
  let jobs = 0;

  /** A job first waits among the members of its own group; only the group's next job waits one level higher. */
  async function through<T>(
    level: Level,
    [first = '', ...rest]: readonly string[],
    job: () => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const inTurn = (): Promise<T> => level.queue.run(first, job, { signal });
    if (rest.length === 0) return inTurn();
    const group = level.below.get(first) ?? createLevel(1);
    level.below.set(first, group);
    group.jobs += 1;
    try {
      return await through(group, rest, inTurn, signal);
    } finally {
      group.jobs -= 1;
      if (group.jobs === 0) level.below.delete(first);
    }
  }

  return {
    /** Runs `job` when the turn of its path comes, from the largest group to the member itself. */
    async run<T>(
      path: readonly string[],
      job: () => Promise<T>,
      { signal }: Pick<JobOptions, 'signal'> = {},
    ): Promise<T> {
      const deadline = new AbortController();
      const cancel = clock.after(maxWaitMs, () => deadline.abort(tooLong()));
      jobs += 1;
      try {
        return await through(
          top,
          path,
          () => {
            cancel();
            return job();
          },
          signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal,
        );
      } finally {
        cancel();
        jobs -= 1;
      }
    },
    load() {
      const { running } = top.queue.load();
      return { running, waiting: jobs - running };
    },
  };
}
