// What is written of a render that has ended: its row, its units and what webhooks say of it, in one transaction.
import type { Clock } from '#core/clock.ts';
import type { OnCrashPoint } from '#core/crash-points.ts';
import type { OpenBlob } from '#storage/blobs.ts';
import type { Database, Tables } from '#storage/database.ts';
import type { RenderRow } from '#storage/schema.ts';
import type { PageReceipt, RenderFailure } from '#browser/browser.ts';
import type { Caller } from '#accounts/authenticate.ts';
import { listensTo } from '#delivery/events.ts';
import { consumeUnits, type QuotaState } from '#metering/quota.ts';
import { chargedOf } from '#renders/output-files.ts';
import type { RenderEvents } from '#renders/render-events.ts';
import {
  failedRow,
  finishedRow,
  pendingRow,
  type BegunRender,
  type MadeRender,
} from '#renders/render-row.ts';
import { toStoredRender, type RenderTiming, type StoredRender } from '#renders/stored-render.ts';

/** A render that succeeded, as `GET` will show it, and what only its own response has. */
export interface FinishedRender extends StoredRender {
  durationMs: number;
  page: PageReceipt;
  timing: RenderTiming;
  /** The bytes of a render that is not hosted. The caller must send or dispose them. */
  bytes: OpenBlob | undefined;
  quota: QuotaState;
}

/** Runs in the transaction that meters the render, so that what it writes commits or rolls back with it. */
export type AlsoRecord = (tables: Tables, render: FinishedRender) => Promise<void>;

// Neither failures nor canceled renders are metered, so nothing else bounds how many rows they leave.
export const keptFailures = 200;

export interface RecorderParts {
  database: Database;
  clock: Clock;
  events: RenderEvents;
  reached: OnCrashPoint;
}

export type Recorder = ReturnType<typeof createRecorder>;

export function createRecorder({ database, clock, events, reached }: RecorderParts) {
  /** Runs in a transaction if a webhook is told. */
  async function writeFailure(
    tables: Tables,
    payer: Caller,
    pending: RenderRow,
    failure: RenderFailure,
  ): Promise<StoredRender> {
    const now = clock.now();
    const row = failedRow(pending, failure, now);
    await tables.renders.insert(row);
    const render = toStoredRender(row);
    await events.record(tables, payer, render, now);
    return render;
  }

  /** After failures of the account were written. */
  const trim = (accountId: string): Promise<void> =>
    database.tables.renders.trimFailures(accountId, keptFailures);

  return {
    writeFailure,
    trim,

    /** Takes the units, gives back the slot and writes the row. */
    async succeed(
      begun: BegunRender,
      made: MadeRender,
      bytes: OpenBlob | undefined,
      { release, alsoRecord }: { release: (tables: Tables) => Promise<void>; alsoRecord: AlsoRecord },
    ): Promise<FinishedRender> {
      const { payer } = begun;
      const paidFor = chargedOf(made.outputs).map((place) => made.outputs[place]!.id);
      return database.transactionOf(payer.accountId, async (tables) => {
        const now = clock.now();
        const row = finishedRow(begun, made, now);
        // First: if the render is not this process's to end, nothing else may happen.
        await release(tables);
        const { states } = await consumeUnits(tables, payer, 'render', paidFor, now, { isReserved: true });
        await tables.renders.insert(row);
        const render = { ...toStoredRender(row), ...made, bytes, quota: states.at(-1)! };
        await events.record(tables, payer, render, now);
        await alsoRecord(tables, render);
        reached('render written');
        return render;
      });
    },

    /** For the history. If it fails, the client's response is the same. */
    async fail(begun: BegunRender, failure: RenderFailure): Promise<void> {
      if (failure.reason === 'aborted') return;
      const { payer } = begun;
      const write = (tables: Tables) => writeFailure(tables, payer, pendingRow(begun), failure);
      try {
        if (listensTo(payer, 'render.failed')) await database.transaction(write);
        else await write(database.tables);
        events.wake(payer);
        await trim(payer.accountId);
      } catch {
        // Database errors are reported elsewhere, and the next failure trims what this one left.
      }
    },
  };
}
