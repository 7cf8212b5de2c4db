// The CPU priority of processes and threads. It matters only when they compete.
import { writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

export type Priority = 'usual' | 'low';

const lowest = 19;
// A tenth of the usual share, with which a browser still starts on a busy machine.
const low = 10;

/**
 * Relative to the service's own niceness: if that is above 5, a fixed 5 would put the other process first. Never below 0, which
 * Chromium gives most of its threads when the service's is negative.
 */
export function lowerPriority(id: number, by: number): void {
  try {
    setPriority(id, Math.min(lowest, Math.max(0, getPriority()) + by));
  } catch {
    // It has just ended.
  }
}

/** For a browser that was just started: the processes that it starts inherit it. */
export function lowerBrowser(pid: number): void {
  lowerPriority(pid, low);
  try {
    // If Linux groups processes by session, a browser is its own group, and only the group's niceness counts.
    writeFileSync(`/proc/${pid}/autogroup`, String(low));
  } catch {
    // Not grouped.
  }
}
