// Detects pages that flood the browser process. It handles the calls of every page (console messages, workers, locks,
// frames, …) one after the other: pages that make them without end delay all other renders, and the backlog outlives the page.
import { cpuMsOf, membersOf } from '#browser/process/proc.ts';

export interface FloodWatch {
  /** The browser's page processes, at a time when it answers. */
  note(pages: readonly number[]): void;
  /** Called while an answer of the browser is late. */
  look(): Flood;
}

interface Flood {
  /** The pages that worked most since `note`. None if the browser is late for another reason than the work that pages give it. */
  pages: number[];
  /** True if that is certain. On a busy machine, the browser does not get the CPU time that shows it. */
  isCertain: boolean;
}

// A small page uses less in all, and may be the busiest once the others have a lower priority.
const leastPageMs = 100;
// A browser that waits for others uses little CPU time itself: then the machine is busy, and no page is to blame.
const leastShareOfTime = 0.5;
// In a flood, it uses about as much as each page.
const leastShareOfPage = 0.4;
// Several pages may do it together.
const shareOfBusiest = 0.5;

export function createFloodWatch(browserPid: number): FloodWatch {
  let notedAt = performance.now();
  let noted = new Map<number, number>();

  return {
    note(pages) {
      notedAt = performance.now();
      noted = new Map([browserPid, ...pages].map((pid) => [pid, cpuMsOf(pid)]));
    },
    look() {
      const pages = membersOf(browserPid)
        .filter(({ isPage }) => isPage)
        .map(({ pid, cpuMs }) => ({ pid, cpuMs, usedMs: cpuMs - (noted.get(pid) ?? 0) }));
      const busiestMs = Math.max(...pages.map(({ usedMs }) => usedMs), 0);
      const browserMs = cpuMsOf(browserPid) - (noted.get(browserPid) ?? 0);
      const isCertain = browserMs >= leastShareOfTime * (performance.now() - notedAt);
      if (!isCertain && browserMs < leastShareOfPage * busiestMs) return { pages: [], isCertain: false };
      const busy = pages.filter(
        ({ cpuMs, usedMs }) => cpuMs >= leastPageMs && usedMs >= shareOfBusiest * busiestMs,
      );
      return { pages: busy.map(({ pid }) => pid), isCertain };
    },
  };
}
