// Detects a page that floods the browser process. That process handles the calls of every page (console messages, workers, locks,
// frames, …) one after the other: a page that makes them without end delays all other renders, and the backlog outlives the page
// by many seconds.
import { membersOf } from '#browser/process/proc.ts';

export interface FloodWatch {
  /** Called repeatedly while an answer of the browser is overdue. */
  isFlooded(): boolean;
  /** The browser has answered. */
  forget(): void;
}

interface Sample {
  at: number;
  cpuMs: Map<number, number>;
}

const watchedMs = 1_000;
// A browser that waits for others uses little CPU itself: then the machine is busy, and no page is to blame. In a flood it uses
// about as much as the page that floods it.
const leastShareOfPage = 0.4;
const leastPageMs = 200;

export function createFloodWatch(browserPid: number): FloodWatch {
  let before: Sample | undefined;

  return {
    isFlooded() {
      const now = performance.now();
      if (before && now - before.at < watchedMs) return false;
      const members = membersOf(browserPid);
      const earlier = before;
      before = { at: now, cpuMs: new Map(members.map(({ pid, cpuMs }) => [pid, cpuMs])) };
      if (!earlier) return false;
      const used = members.map((member) => ({
        ...member,
        usedMs: member.cpuMs - (earlier.cpuMs.get(member.pid) ?? 0),
      }));
      const browserMs = used.find(({ pid }) => pid === browserPid)?.usedMs ?? 0;
      const busiestMs = Math.max(0, ...used.filter(({ isPage }) => isPage).map(({ usedMs }) => usedMs));
      return busiestMs >= leastPageMs && browserMs >= leastShareOfPage * busiestMs;
    },
    forget() {
      before = undefined;
    },
  };
}
