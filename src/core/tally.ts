// Counts by name, such as the requests of each account that wait. A name without any takes no memory.
export function createTally() {
  const counts = new Map<string, number>();

  function add(name: string, change: number): void {
    const count = (counts.get(name) ?? 0) + change;
    if (count > 0) counts.set(name, count);
    else counts.delete(name);
  }

  return {
    of: (name: string): number => counts.get(name) ?? 0,
    add,
    /** Counts `count` more until the work has ended. */
    async during<T>(name: string, count: number, work: () => Promise<T>): Promise<T> {
      add(name, count);
      try {
        return await work();
      } finally {
        add(name, -count);
      }
    },
    names: (): number => counts.size,
    total: (): number => counts.values().reduce((sum, count) => sum + count, 0),
  };
}
