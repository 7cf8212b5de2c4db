// Lets page processes that have used much processor time go behind the others: a page that never ends its work must not slow the
// renders beside it, and an ordinary one is drawn before it gets here. Reads /proc; elsewhere nothing is done.
import { readdirSync } from 'node:fs';
import { lowerPriority } from '#browser/process/priority.ts';

export interface BusyPages {
  /** Told of every page process, each time it is looked at. */
  note(pid: number, cpuSeconds: number): void;
  forgetAllBut(pids: readonly number[]): void;
}

// In small steps, since a heavy page that is no attack must still get done beside others. An article takes a third of a second,
// in all processes together.
const steps: { cpuSeconds: number; niceness: number }[] = [
  { cpuSeconds: 15, niceness: 19 },
  { cpuSeconds: 5, niceness: 10 },
  { cpuSeconds: 1, niceness: 5 },
];
// Every thread has a share of its own: a page of a hundred workers would have a hundred. An ordinary one has about fifteen threads.
const mostThreads = 40;
const last = 19;

export function createBusyPages(): BusyPages {
  const lowered = new Map<number, number>();
  return {
    note(pid, cpuSeconds) {
      const threads = threadsOf(pid);
      const step = steps.find((candidate) => cpuSeconds >= candidate.cpuSeconds);
      const niceness = threads.length > mostThreads ? last : (step?.niceness ?? 0);
      if (niceness <= (lowered.get(pid) ?? 0)) return;
      lowered.set(pid, niceness);
      // Linux keeps a priority per thread; threads to come inherit that of the one that starts them.
      for (const thread of threads) lowerPriority(Number(thread), niceness);
    },
    forgetAllBut(pids) {
      for (const pid of lowered.keys()) if (!pids.includes(pid)) lowered.delete(pid);
    },
  };
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}
