// Work that is due, on every machine: one look at a time begins what there is and has room, one that is asked for meanwhile follows it,
// and so does one whenever a piece of work has ended.

type Work = () => Promise<void>;

/** `claim` takes the next piece of work for this machine; undefined if there is none, or no room for it. The work handles its errors. */
export function createDueWork(claim: () => Promise<Work | undefined>) {
  const underWay = new Set<Promise<void>>();
  let looking: Promise<void> | undefined;
  let isWanted = false;

  async function look(): Promise<void> {
    try {
      while (isWanted) {
        isWanted = false;
        for (let work = await claim(); work; work = await claim()) begin(work);
      }
    } finally {
      looking = undefined;
    }
  }

  function begin(work: Work): void {
    const run = work().finally(() => {
      underWay.delete(run);
      // Something may have waited for this place, or come in the meantime.
      wake();
    });
    underWay.add(run);
  }

  function beginDue(): Promise<void> {
    isWanted = true;
    return (looking ??= look());
  }

  /** Never rejects: the next look finds what this one missed. */
  function wake(): void {
    beginDue().catch(() => {});
  }

  return {
    beginDue,
    wake,
    count: (): number => underWay.size,
    /** Resolves when what was begun has ended. Nothing must be claimed any more. */
    async ended(): Promise<void> {
      await looking?.catch(() => {});
      await Promise.all(underWay);
    },
  };
}
