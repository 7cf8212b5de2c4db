// Slows pages that flood the browser process. That process handles the calls of every page (console messages, workers, locks,
// frames, …) on one thread, one after the other: a page that makes them without end delays all other renders. A page that does so is
// paused: it makes no more calls, and the browser catches up. Then the page continues, and is paused longer each time.
import { kill } from 'node:process';
import { isInGroup, sendingThread, threadMs } from '#browser/process/proc.ts';

export interface FloodWatch {
  /** The browser is asked something, for the first time or again because it has not answered. */
  asked(): void;
  /** It has answered, with the processes of its pages. Those whose pause is over continue. */
  answered(pages: readonly number[]): void;
  /** Called repeatedly while the answer is missing. Returns the pages that must be ended, because pausing them was not enough. */
  overdue(): number[];
  /** True if a new browser would be ready before this one has worked through its backlog. */
  readonly isLost: boolean;
}

interface Watched {
  /** The thread that sends the page's calls. An article uses 8 ms of CPU time on it, 2,000 pictures 40, a flood 100 a second. */
  sender: number | undefined;
  sentMsBefore: number;
  pauses: number;
  pausedUntil: number | undefined;
}

// In CPU time that the browser spends on earlier calls after it was asked: on a busy machine every answer takes long.
const backlogToPauseMs = 30;
// Some calls take the browser much longer than the page, such as those that start workers. If the page is gone, they take no time.
const backlogToEndPagesMs = 300;
const backlogToEndBrowserMs = 1_000;
const leastSentMs = 20;
const firstPauseMs = 1_000;
const longestPauseMs = 4_000;

export function createFloodWatch(browserPid: number, onPause: (pid: number) => void): FloodWatch {
  const watched = new Map<number, Watched>();
  let mainMsWhenAsked: number | undefined;

  const mainMs = (): number => threadMs(browserPid, browserPid);
  const backlogMs = (): number => mainMs() - (mainMsWhenAsked ?? Infinity);

  function sentMs(pid: number, page: Watched): number {
    page.sender ??= sendingThread(pid);
    return page.sender === undefined ? 0 : threadMs(pid, page.sender) - page.sentMsBefore;
  }

  function pauseFlooding(): void {
    const running = [...watched]
      .filter(([, page]) => page.pausedUntil === undefined)
      .map(([pid, page]) => ({ pid, page, ms: sentMs(pid, page) }));
    const mostMs = Math.max(leastSentMs, ...running.map(({ ms }) => ms));
    for (const { pid, page, ms } of running) {
      if (ms < mostMs / 2 || !isInGroup(pid, browserPid) || !signal(pid, 'SIGSTOP')) continue;
      page.sentMsBefore += ms;
      page.pausedUntil = performance.now() + Math.min(longestPauseMs, firstPauseMs * 2 ** page.pauses);
      page.pauses += 1;
      onPause(pid);
    }
  }

  function continueIfOver(pid: number, page: Watched): void {
    if (page.pausedUntil === undefined || page.pausedUntil > performance.now()) return;
    page.pausedUntil = undefined;
    signal(pid, 'SIGCONT');
  }

  /** Each is returned once. */
  function takePaused(): number[] {
    const paused = [...watched].flatMap(([pid, page]) => (page.pausedUntil === undefined ? [] : [pid]));
    for (const pid of paused) watched.delete(pid);
    return paused;
  }

  return {
    asked() {
      mainMsWhenAsked ??= mainMs();
    },
    answered(pages) {
      for (const pid of watched.keys()) if (!pages.includes(pid)) watched.delete(pid);
      for (const pid of pages) {
        const page = watched.get(pid);
        if (page) continueIfOver(pid, page);
        else watched.set(pid, { sender: undefined, sentMsBefore: 0, pauses: 0, pausedUntil: undefined });
      }
      if (backlogMs() >= backlogToPauseMs) pauseFlooding();
      mainMsWhenAsked = undefined;
    },
    overdue() {
      const backlog = backlogMs();
      if (backlog >= backlogToPauseMs) pauseFlooding();
      return backlog >= backlogToEndPagesMs ? takePaused() : [];
    },
    get isLost() {
      return backlogMs() >= backlogToEndBrowserMs;
    },
  };
}

function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT'): boolean {
  try {
    return kill(pid, name);
  } catch {
    // It has just ended.
    return false;
  }
}
