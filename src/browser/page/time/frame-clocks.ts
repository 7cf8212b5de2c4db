// The clocks of a page and of its cross-site frames, each of which has a process of its own, and what they are given of virtual time.
//
// A grant does not replace an earlier one: each leaves a mark, and the first mark that the clock reaches stops it. So the end of a
// grant says only that the clock stands still, and the clock is read to learn how far it has come.
import type { Protocol } from 'devtools-protocol';
import { limits } from '#core/limits.ts';
import type { CdpSession } from '#browser/process/cdp.ts';
import type { PageClock } from '#browser/page/time/page-clock.ts';
import { createScriptWatch, type ScriptWatch } from '#browser/page/time/script-watch.ts';
import { aheadMs } from '#browser/page/time/times.ts';
import type { Watch } from '#browser/page/time/watch.ts';

/** A frame may be gone before it answers. */
const ignore = (sent: Promise<unknown>): void => {
  sent.catch(() => {});
};

export type FrameClocks = ReturnType<typeof createFrameClocks>;

/** `onStuck`: a script does not end, perhaps because it waits for time to pass. */
export function createFrameClocks(page: CdpSession, time: PageClock, changes: Watch, onStuck: () => void) {
  const scripts = new Map<CdpSession, ScriptWatch>();
  /** Sessions whose clock runs. */
  const running = new Set<CdpSession>();
  /** When each frame of a page with a calendar began. */
  const begun = new Map<CdpSession, { joinedMs: number; givenMs: number }>();

  /** It stands still, or its process is gone. */
  function stop(session: CdpSession): void {
    running.delete(session);
    changes.notify();
  }

  return {
    stop,
    join(session: CdpSession, { isSettling }: { isSettling: boolean }): void {
      scripts.set(session, createScriptWatch(session, onStuck));
      session.on('Emulation.virtualTimeBudgetExpired', () => stop(session));
      // Its process has a calendar of its own.
      if (!time.hasCalendar) return;
      // It loads with the page, or in the time that a page has to settle.
      const given = isSettling
        ? ({ policy: 'pauseIfNetworkFetchesPending', budget: limits.settleMs } as const)
        : ({ policy: 'pause' } as const);
      begun.set(session, { joinedMs: performance.now(), givenMs: isSettling ? limits.settleMs : 0 });
      ignore(session.send('Emulation.setVirtualTimePolicy', { ...given, ...time.calendar() }));
    },
    leave(session: CdpSession): void {
      scripts.delete(session);
      begun.delete(session);
      stop(session);
    },
    /** Lets all clocks run until the first mark stops them. */
    async grant(
      policy: Protocol.Emulation.VirtualTimePolicy,
      budget: number,
      signal: AbortSignal,
    ): Promise<void> {
      // The starvation count keeps a page with endless tasks from stopping its own clock.
      const request = { policy, budget, maxVirtualTimeTaskStarvationCount: 1000, ...time.calendar() };
      const give = async (session: CdpSession): Promise<void> => {
        try {
          await session.send('Emulation.setVirtualTimePolicy', request, signal);
        } catch (error) {
          // A frame that has just gone needs no time.
          if (session !== page) return;
          throw error;
        }
        // An end that was reported before this answer belongs to an earlier grant.
        if (scripts.has(session)) running.add(session);
        const frame = begun.get(session);
        if (frame) frame.givenMs += budget;
      };
      await Promise.all(Array.from(scripts.keys(), give));
      await changes.until(() => running.size === 0, signal);
    },
    /** With a calendar the page is far ahead, and its frames are not: what they were given is compared with what has passed. */
    keepAhead(): void {
      for (const [session, frame] of begun) {
        const missingMs = performance.now() - frame.joinedMs + aheadMs - frame.givenMs;
        if (missingMs <= 0) continue;
        frame.givenMs += missingMs;
        ignore(session.send('Emulation.setVirtualTimePolicy', { policy: 'advance', budget: missingMs }));
      }
    },
    checkScripts(): void {
      for (const script of scripts.values()) script.check();
    },
    hasRunningScript: (): boolean => scripts.values().some(({ isRunning }) => isRunning),
  };
}
