// The last line of defence: an error that nobody caught leaves the process in a state that nobody knows. It is logged with its
// reason, requests in flight get a few seconds, the browser is ended, and the process exits for its supervisor to start anew.
import type { Logger } from 'pino';

/** EX_SOFTWARE of sysexits.h. Every supervisor restarts on it; a wrong configuration ends with 1 instead. */
export const faultExitCode = 70;
/** Requests in flight may take this long to be answered. */
const finishMs = 5_000;
/** Renders that are broken off then may take this long to say so, and the browser to end. */
const breakOffMs = 3_000;

interface Ending {
  /** Stops listening, and finishes what is in flight. */
  close(): Promise<void>;
  /** Breaks off what is in flight and ends the browser. */
  abandon(): Promise<void>;
}

/** `service` is undefined until there is one. */
export function endOnFault(log: Logger, service: () => Ending | undefined): void {
  let isEnding = false;
  process.on('uncaughtException', (fault: unknown, origin) => {
    // Before anything else: not even a log that fails may keep the process.
    setTimeout(() => process.exit(faultExitCode), finishMs + breakOffMs).unref();
    log.fatal({ err: fault, origin }, 'an error that nobody caught: the process ends and must be restarted');
    if (isEnding) return;
    isEnding = true;
    void end(log, service()).finally(() => process.exit(faultExitCode));
  });
}

async function end(log: Logger, service: Ending | undefined): Promise<void> {
  if (!service) return;
  try {
    const closed = service.close().then(() => 'closed' as const);
    if ((await Promise.race([closed, after(finishMs)])) === 'closed') return;
    await Promise.race([Promise.allSettled([service.abandon(), closed]), after(breakOffMs)]);
  } catch (error) {
    log.fatal({ err: error }, 'the end was not orderly');
    await Promise.race([service.abandon(), after(breakOffMs)]);
  }
}

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
