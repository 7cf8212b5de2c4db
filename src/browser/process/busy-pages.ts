// Lowers the CPU priority of renderer processes that have used a lot of CPU time, so that a page that never stops working does
// not slow other renders. An ordinary page is drawn before it reaches the limit. Reads /proc; without /proc it does nothing.
import { lowerProcess } from '#browser/process/priority.ts';

export interface BusyPages {
  /** Called with every page process, each time it is checked. */
  note(pid: number, cpuSeconds: number, threads: number): void;
  forgetAllBut(pids: ReadonlySet<number>): void;
}

// The more a page has used, the longer it waits behind others: an ordinary page is drawn soon even while several heavy ones run,
// and a heavy one still finishes. An article takes a third of a second, in all its processes together.
const steps: { cpuSeconds: number; niceness: number }[] = [
  { cpuSeconds: 15, niceness: 19 },
  { cpuSeconds: 5, niceness: 16 },
  { cpuSeconds: 1, niceness: 12 },
  { cpuSeconds: 0.4, niceness: 8 },
];
// Every thread gets its own share, so a page with a hundred workers would get a hundred. An ordinary page has about fifteen
// threads.
const mostThreads = 40;
const last = 19;

/** `isOurs` is asked before the priority of a process is lowered. */
export function createBusyPages(isOurs: (pid: number) => boolean): BusyPages {
  const lowered = new Map<number, number>();
  return {
    note(pid, cpuSeconds, threads) {
      const step = steps.find((candidate) => cpuSeconds >= candidate.cpuSeconds);
      const niceness = threads > mostThreads ? last : (step?.niceness ?? 0);
      if (niceness <= (lowered.get(pid) ?? 0) || !isOurs(pid)) return;
      lowered.set(pid, niceness);
      lowerProcess(pid, niceness);
    },
    forgetAllBut(pids) {
      for (const pid of lowered.keys()) if (!pids.has(pid)) lowered.delete(pid);
    },
  };
}
