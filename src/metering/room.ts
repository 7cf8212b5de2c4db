// The metering room: what a caller may do, and the record of what they did.
import type { Logger } from 'pino';
import { hours, seconds, type Chore } from '#core/chore.ts';
import type { Clock } from '#core/clock.ts';
import type { Database } from '#storage/database.ts';
import type { Authentication } from '#accounts/authenticate.ts';
import type { Plans } from '#accounts/plans.ts';
import { createAdmission } from '#metering/admission.ts';
import { createCaptureSlots } from '#metering/capture-slots.ts';
import { createRequestBudget } from '#metering/request-budget.ts';
import { createRequestLog } from '#metering/request-log.ts';

export type MeteringRoom = ReturnType<typeof createMeteringRoom>;

export function createMeteringRoom(parts: {
  database: Database;
  authentication: Authentication;
  plans: Plans;
  clock: Clock;
  log: Logger;
}) {
  // Accounts are as many as the database has; addresses are as many as strangers can use.
  const accountBudget = createRequestBudget(parts);
  const budget = createRequestBudget({ ...parts, maxSubjects: 200_000 });
  const slots = createCaptureSlots(parts);
  const requestLog = createRequestLog(parts);
  const chores: Chore[] = [
    { name: 'sweep of leases', everyMs: seconds(15), run: slots.sweep },
    { name: 'clock of the database', everyMs: seconds(60), run: parts.database.ping, onEveryMachine: true },
    { name: 'sweep of the request log', everyMs: hours(1), run: () => requestLog.sweep() },
    { name: 'request log', everyMs: seconds(1), run: requestLog.flush, onEveryMachine: true },
  ];
  return {
    budget,
    admission: createAdmission({ ...parts, budget: accountBudget }),
    slots,
    requestLog,
    chores,
    close: requestLog.flush,
  };
}
