// Lets page processes that have used much processor time go behind the others: a page that never ends its work must not slow the
// renders beside it, and an ordinary one is drawn before it gets here. Reads /proc; elsewhere nothing is done.
import { readdir } from 'node:fs/promises';
import { setPriority } from 'node:os';

export interface BusyPages {
  /** Told of every page process, each time it is looked at. */
  note(pid: number, cpuSeconds: number): Promise<void>;
  forgetAllBut(pids: readonly number[]): void;
}

// An article takes a third of this, in all processes together.
const busySeconds = 1;
const behind = 10;

export function createBusyPages(): BusyPages {
  const slowed = new Set<number>();
  return {
    async note(pid, cpuSeconds) {
      if (cpuSeconds < busySeconds || slowed.has(pid)) return;
      slowed.add(pid);
      // Linux keeps a priority per thread; threads to come inherit it.
      const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
      for (const thread of threads) lower(Number(thread));
    },
    forgetAllBut(pids) {
      for (const pid of slowed) if (!pids.includes(pid)) slowed.delete(pid);
    },
  };
}

function lower(thread: number): void {
  try {
    setPriority(thread, behind);
  } catch {
    // It has just ended.
  }
}
