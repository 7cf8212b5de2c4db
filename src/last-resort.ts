// Handles uncaught errors. After one, the state of the process is unknown: log it, give requests in flight 5 s, end the
// browser, and exit so that the supervisor starts a new process.
import { setTimeout as after } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Service } from '#roof/service.ts';

/** EX_SOFTWARE from sysexits.h: the supervisor restarts the process. A configuration error exits with 1 instead. */
export const faultExitCode = 70;
/** Time for requests in flight to finish. */
const finishMs = 5_000;
/** Time after that for aborted renders to respond and for the browser to exit. */
const breakOffMs = 3_000;

type Ending = Pick<Service, 'close' | 'abandon'>;

/** `service` returns undefined until the service has started. */
export function endOnFault(log: Logger, service: () => Ending | undefined): void {
  let isEnding = false;
  process.on('uncaughtException', (fault: unknown, origin) => {
    // First of all: even if logging throws, the process must exit.
    setTimeout(() => process.exit(faultExitCode), finishMs + breakOffMs).unref();
    log.fatal({ err: fault, origin }, 'uncaught error: the process exits and must be restarted');
    if (isEnding) return;
    isEnding = true;
    const exit = () => process.exit(faultExitCode);
    end(log, service()).then(exit, exit);
  });
}

async function end(log: Logger, service: Ending | undefined): Promise<void> {
  if (!service) return;
  try {
    const closed = service.close().then(() => 'closed' as const);
    if ((await Promise.race([closed, after(finishMs)])) === 'closed') return;
    await Promise.race([Promise.allSettled([service.abandon(), closed]), after(breakOffMs)]);
  } catch (error) {
    log.fatal({ err: error }, 'the shutdown after an uncaught error failed');
    await Promise.race([service.abandon(), after(breakOffMs)]);
  }
}
