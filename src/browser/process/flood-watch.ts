// Slows pages that flood the browser process. That process handles the calls of every page (console messages, workers, locks,
// frames, …) on one thread, one after the other: a page that makes them without end delays all other renders. A page that does so is
// paused: it makes no more calls, and the browser catches up. Then the page continues, and is paused longer each time.
import { kill } from 'node:process';
import { isInGroup, sendingThread, threadTimesMs } from '#browser/process/proc.ts';

export interface FloodWatch {
  /** The browser is asked something, for the first time or again because it has not answered. */
  asked(): void;
  /** It has answered, with the processes of its pages. Those whose pause is over continue. */
  answered(pages: ReadonlySet<number>): void;
  /** Called repeatedly while the answer is missing. Returns the pages that must be ended, because pausing them was not enough. */
  overdue(): number[];
  /** True if a new browser would be ready before this one has worked through its backlog. */
  readonly isLost: boolean;
}

interface Watched {
  /** The thread that sends the page's calls. An article uses 8 ms of CPU time on it, 2,000 pictures 40, a flood 100 a second. */
  sender: number | undefined;
  sentMsWhenAnswered: number;
  pauses: number;
  pausedUntil: number | undefined;
}

// In CPU time that the browser spends on earlier calls after it was asked: on a busy machine every answer takes long.
const backlogToPauseMs = 30;
// Some calls take the browser much longer than the page, such as those that start workers. If the page is gone, they take no time.
const backlogToEndPagesMs = 300;
const backlogToEndBrowserMs = 1_000;
// Of the sending thread: in all, and since the last answer. While the browser passes on a large picture, pages send nothing.
const leastSentMs = 20;
const leastNewlySentMs = 5;
const firstPauseMs = 1_000;
const longestPauseMs = 4_000;

export function createFloodWatch(browserPid: number, onPause: (pid: number) => void): FloodWatch {
  const watched = new Map<number, Watched>();
  let mainMsWhenAsked: number | undefined;
  // True since pages were paused, until an answer comes without a backlog. A large picture alone takes the browser a second too.
  let isFlooded = false;

  const mainMs = (): number => threadTimesMs(browserPid, browserPid).ran;
  const backlogMs = (): number => mainMs() - (mainMsWhenAsked ?? Infinity);

  function sentMs(pid: number, page: Watched): number {
    page.sender ??= sendingThread(pid);
    return page.sender === undefined ? 0 : threadTimesMs(pid, page.sender).ran;
  }

  function pauseFlooding(): void {
    const sending = [...watched]
      .filter(([, page]) => page.pausedUntil === undefined)
      .map(([pid, page]) => ({ pid, page, ms: sentMs(pid, page) }))
      .filter(({ ms }) => ms >= leastSentMs)
      .map(({ pid, page, ms }) => ({ pid, page, newMs: ms - page.sentMsWhenAnswered }));
    const mostMs = Math.max(leastNewlySentMs, ...sending.map(({ newMs }) => newMs));
    for (const { pid, page, newMs } of sending) {
      if (newMs < mostMs / 2 || !isInGroup(pid, browserPid) || !signal(pid, 'SIGSTOP')) continue;
      page.pausedUntil = performance.now() + Math.min(longestPauseMs, firstPauseMs * 2 ** page.pauses);
      page.pauses += 1;
      isFlooded = true;
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
      for (const pid of watched.keys()) if (!pages.has(pid)) watched.delete(pid);
      if (backlogMs() >= backlogToPauseMs) pauseFlooding();
      else isFlooded = false;
      mainMsWhenAsked = undefined;
      for (const pid of pages) {
        const page = watched.get(pid) ?? {
          sender: undefined,
          sentMsWhenAnswered: 0,
          pauses: 0,
          pausedUntil: undefined,
        };
        watched.set(pid, page);
        page.sentMsWhenAnswered = sentMs(pid, page);
        continueIfOver(pid, page);
      }
    },
    overdue() {
      const backlog = backlogMs();
      if (backlog >= backlogToPauseMs) pauseFlooding();
      return backlog >= backlogToEndPagesMs ? takePaused() : [];
    },
    get isLost() {
      return isFlooded && backlogMs() >= backlogToEndBrowserMs;
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
