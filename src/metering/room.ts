// Wires the metering room: budgets, capture slots and the request log.
import type { Logger } from 'pino';
import { hours, seconds, type Chore } from '#core/chore.ts';
import type { Clock } from '#core/clock.ts';
import type { Database } from '#storage/database.ts';
import type { Authentication } from '#accounts/authenticate.ts';
import type { Mailer } from '#accounts/mailer.ts';
import type { Plans } from '#accounts/plans.ts';
import { createAdmission } from '#metering/admission.ts';
import { createCaptureSlots } from '#metering/capture-slots.ts';
import { createQuotaWarnings } from '#metering/quota-warnings.ts';
import { createRequestBudget } from '#metering/request-budget.ts';
import { createRequestLog } from '#metering/request-log.ts';

export type MeteringRoom = ReturnType<typeof createMeteringRoom>;

export function createMeteringRoom(parts: {
  database: Database;
  authentication: Authentication;
  plans: Plans;
  mailer: Mailer;
  baseUrl: string;
  clock: Clock;
  log: Logger;
}) {
  // The number of accounts is bounded by the database; the number of client addresses must be bounded here.
  const accountBudget = createRequestBudget(parts);
  const budget = createRequestBudget({ ...parts, maxSubjects: 200_000 });
  const slots = createCaptureSlots(parts);
  const requestLog = createRequestLog(parts);
  const quotaWarnings = createQuotaWarnings(parts);
  const chores: Chore[] = [
    { name: 'sweep of leases', everyMs: seconds(15), run: slots.sweep },
    { name: 'quota warnings', everyMs: seconds(30), run: quotaWarnings.sendWaiting },
    { name: 'database clock', everyMs: seconds(60), run: parts.database.ping, onEveryMachine: true },
    { name: 'sweep of the request log', everyMs: hours(1), run: () => requestLog.sweep() },
    { name: 'request log flush', everyMs: seconds(1), run: requestLog.flush, onEveryMachine: true },
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
