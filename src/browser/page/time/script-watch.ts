// Notices a script that does not end. Virtual time stands still while a script runs, so one that waits for the clock in a loop
// never ends; in real time it would.
import type { CdpSession } from '#browser/process/cdp.ts';
import { askScriptMs, probeScriptMs, stuckScriptMs } from '#browser/page/time/times.ts';

export interface ScriptWatch {
  /** A script has been running for a second or longer. */
  readonly isRunning: boolean;
  /** To be called again and again while the page settles in virtual time. */
  check(): void;
}

/** Calls `onStuck` at most once. */
export function createScriptWatch(session: CdpSession, onStuck: () => void): ScriptWatch {
  let askedAt = performance.now();
  let probedAt = askedAt;
  let isAnswered = true;
  let isRunning = false;
  let isReported = false;

  /** Answered between two scripts. */
  function ask(): void {
    askedAt = probedAt = performance.now();
    isAnswered = false;
    const answered = () => {
      isAnswered = true;
      isRunning = false;
    };
    session.send('Runtime.evaluate', { expression: '1' }).then(answered, answered);
  }

  /** The browser interrupts a running script for this command. A page that something else blocks does not answer it. */
  async function probe(): Promise<void> {
    probedAt = performance.now();
    await session.send('Performance.getMetrics', undefined);
    if (isAnswered) return;
    isRunning = true;
    if (isReported || performance.now() - askedAt < stuckScriptMs) return;
    isReported = true;
    onStuck();
  }

  return {
    get isRunning() {
      return isRunning;
    },
    check() {
      const now = performance.now();
      if (isAnswered && now - askedAt >= askScriptMs) ask();
      // The target may be gone.
      else if (!isAnswered && now - probedAt >= probeScriptMs) probe().catch(() => {});
    },
  };
}
