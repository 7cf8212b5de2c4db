// The CPU priority of processes and threads. It counts only where they compete.
import { writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

export type Priority = 'usual' | 'low';

const lowest = 19;
// A third of the usual share: a browser has to start within 20 s on a busy machine too.
const low = 5;

/** Counted from the service's own niceness: where that is above 5, a fixed 5 would put the other in front. */
export function lowerPriority(id: number, by: number): void {
  try {
    setPriority(id, Math.min(lowest, getPriority() + by));
  } catch {
    // It has just ended.
  }
}

/** Of a browser that was just started: the processes that it starts inherit it. */
export function lowerBrowser(pid: number): void {
  lowerPriority(pid, low);
  try {
    // Where Linux groups processes by session, a browser is a group of its own, and only the group's niceness counts.
    writeFileSync(`/proc/${pid}/autogroup`, String(low));
  } catch {
    // Not grouped.
  }
}
