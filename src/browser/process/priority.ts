// The CPU priority of processes and threads. It matters only when they compete.
import { writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { pageZygotesOf, threadsOf } from '#browser/process/proc.ts';

export type Priority = 'usual' | 'low';

const lowest = 19;
// A tenth of the usual share, with which a browser still starts on a busy machine.
const low = 10;
// Half of the usual share.
const newPage = 3;

/**
 * Relative to the service's own niceness: if that is above 5, a fixed 5 would put the other process first. Never below 0, which
 * Chromium gives most of its threads when the service's is negative. What is lower already stays so.
 */
function lowerPriority(id: number, by: number): void {
  try {
    const wanted = Math.min(lowest, Math.max(0, getPriority()) + by);
    if (wanted > getPriority(id)) setPriority(id, wanted);
  } catch {
    // It has just ended.
  }
}

/** Linux keeps a priority per thread; a new thread inherits that of the thread that starts it. */
export function lowerProcess(pid: number, by: number): void {
  for (const thread of threadsOf(pid)) lowerPriority(thread, by);
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

/**
 * The service and the browser process do something for every render, so they come before the pages. For a browser that has answered:
 * pages that are opened from now on inherit it.
 */
export function lowerPages(browser: number): void {
  for (const zygote of pageZygotesOf(browser)) lowerPriority(zygote, newPage);
}
