// Who had the machine's cores during an attack: without it nobody can tell a service that is held up from one that waits for a core.
import { availableParallelism, cpus } from 'node:os';
import { cpuMs, treeCpuMs } from '#test/support/process-table.ts';

/** Processor time in milliseconds. */
interface Spent {
  wall: number;
  service: number;
  /** Render workers with their browsers, the neighbour's among them. */
  workers: number;
  attacker: number;
  idle: number;
}

const lookMs = 500;
const parties = ['service', 'workers', 'attacker', 'idle'] as const;

export const nothingSpent = (): Spent => ({ wall: 0, service: 0, workers: 0, attacker: 0, idle: 0 });

/** Adds to `total` until the result is called. */
export function watchProcessor(service: number, attacker: number, total: Spent): () => void {
  const read = (): Spent => {
    const own = cpuMs(service);
    return {
      wall: performance.now(),
      service: own,
      workers: treeCpuMs(service) - own,
      attacker: cpuMs(attacker),
      idle: cpus().reduce((sum, { times }) => sum + times.idle, 0),
    };
  };
  let last = read();
  const look = (): void => {
    const now = read();
    // The time of a worker that was killed is gone from the table with it.
    for (const party of ['wall', ...parties] as const) total[party] += Math.max(0, now[party] - last[party]);
    last = now;
  };
  const timer = setInterval(look, lookMs);
  return () => {
    clearInterval(timer);
    look();
  };
}

export function describeSpent(total: Spent): string {
  const cores = (ms: number): string => (ms / total.wall).toFixed(1);
  const known = parties.reduce((sum, party) => sum + total[party], 0);
  const others = Math.max(0, availableParallelism() * total.wall - known);
  const shares = parties.map((party) => `${party} ${cores(total[party])}`);
  return `of ${availableParallelism()} cores ${shares.join(', ')}, others ${cores(others)}`;
}
