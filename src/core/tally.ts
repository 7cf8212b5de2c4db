// Counts by name, such as the requests of each account that wait. A name without any takes no memory.
export function createTally() {
  const counts = new Map<string, number>();
  return {
    of: (name: string): number => counts.get(name) ?? 0,
    add(name: string, change: number): void {
      const count = (counts.get(name) ?? 0) + change;
      if (count > 0) counts.set(name, count);
      else counts.delete(name);
    },
    names: (): number => counts.size,
    total: (): number => counts.values().reduce((sum, count) => sum + count, 0),
  };
}
