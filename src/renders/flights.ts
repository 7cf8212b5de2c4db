// One render for any number that ask for the same at once, on all machines: the first one takes the flight and makes it, the others
// wait for what it makes. A flight has a lease, so that a machine that ends in the middle of it keeps nobody waiting. V2 2.
import { every, sleep, type Clock } from '#core/clock.ts';
import { invalid, ServiceError, type ErrorCode, type ErrorDetails } from '#core/errors.ts';
import { newId } from '#core/ids.ts';
import { createTally } from '#core/tally.ts';
import type { Database, Tables } from '#storage/database.ts';
import type { RenderFlightRow, RenderRow } from '#storage/schema.ts';
import { retryAfterSeconds } from '#metering/capture-slots.ts';
import { QuotaExceededError } from '#metering/quota.ts';

const leaseMs = 10_000;
const prolongEveryMs = 3_000;
/** How often a flight on another machine is looked at: soon at first, then less often. One request of each machine does. */
const poll = { firstMs: 100, maxMs: 1_000 };
/** How long a failure is remembered, unless it says itself when to try again. */
const failureMs = 60_000;
/** Requests of one account that may wait in this process. */
export const maxWaiting = 500;

export interface Flight<T> {
  accountId: string;
  cacheKey: string;
  /** Aborted when the client hangs up: it does not wait any longer. */
  signal: AbortSignal;
  /** Set if the client may leave without ending the render: this ends it. */
  detached?: AbortSignal;
  /** Whether a failure of the last minute is the answer, too; otherwise only one that was waited for. */
  recallsFailures: boolean;
  /** The result that there is already. */
  look(): Promise<RenderRow | undefined>;
  /** What this request makes of it; undefined if it does not do. */
  take(row: RenderRow): Promise<T | undefined>;
  /** Calls `land` in the transaction that stores the result. */
  make(land: (tables: Tables) => Promise<void>, signal: AbortSignal): Promise<T>;
}

/** The end of a flight for those who waited for it. */
interface Landing {
  /** Which all of them share. */
  failure: unknown;
  /** The first of them looks for the result, for all: a thousand that wait do not ask the database a thousand times. */
  look?: Promise<RenderRow | undefined>;
}

/** Another attempt has taken over, so that this one must not store anything. */
class LostFlightError extends Error {}

/** A failure of the past, and how long it is remembered. */
export class RecalledFailure extends ServiceError {
  readonly until: number;

  constructor({ code, complaint, ...options }: RememberedError, until: number) {
    super(code, complaint, options);
    this.until = until;
  }
}

interface RememberedError {
  code: ErrorCode;
  complaint: string;
  details: ErrorDetails;
  retryAfterSeconds?: number;
}

export type Flights = ReturnType<typeof createFlights>;

export function createFlights({ database, clock }: { database: Database; clock: Clock }) {
  const { renderFlights } = database.tables;
  const takeOff = createTakeOff(renderFlights, clock);
  /** Those that this process takes part in; each resolves when it has ended. */
  const here = new Map<string, Promise<Landing>>();
  const waiting = createTally();

  async function join<T>(flight: Flight<T>): Promise<T> {
    try {
      return await joined(flight);
    } catch (error) {
      if (flight.signal.aborted) throw invalid('body', 'the connection closed');
      throw error;
    }
  }

  async function joined<T>(flight: Flight<T>): Promise<T> {
    for (let landing: Landing | undefined; ;) {
      const found = await find(flight, landing);
      if (found !== undefined) return found;
      const other = here.get(flight.cacheKey);
      if (!other) return flight.detached ? untilAborted(lead(flight), flight.signal) : lead(flight);
      landing = await waitFor(other, flight);
      if (landing.failure !== undefined) throw landing.failure;
    }
  }

  /** The one request of this process that looks what other machines do. */
  async function lead<T>(flight: Flight<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<Landing>();
    here.set(flight.cacheKey, promise);
    let failure: unknown;
    try {
      return await takeOff(flight);
    } catch (error) {
      // A client that hung up has failed alone.
      if (!endOf(flight).aborted && !isOfOne(error)) failure = error;
      throw error;
    } finally {
      here.delete(flight.cacheKey);
      resolve({ failure });
    }
  }

  async function waitFor(other: Promise<Landing>, { accountId, signal }: Flight<unknown>): Promise<Landing> {
    if (waiting.of(accountId) >= maxWaiting)
      throw new ServiceError(
        'concurrency_limited',
        `${maxWaiting} requests of this account are already waiting for a render. Retry shortly.`,
        { retryAfterSeconds },
      );
    return waiting.during(accountId, 1, () => untilAborted(other, signal));
  }

  return {
    join,
    /** After a start on a single machine: the process that made a render before it is gone. */
    forget: (): Promise<void> => renderFlights.unlockAll(),
    sweep: (): Promise<void> => renderFlights.purge(clock.now()),
  };
}

/** Makes the render, or waits while another machine does. */
function createTakeOff(renderFlights: Tables['renderFlights'], clock: Clock) {
  return takeOff;

  async function takeOff<T>(flight: Flight<T>): Promise<T> {
    const key = { account_id: flight.accountId, cache_key: flight.cacheKey };
    let awaited: string | undefined;
    for (let pollMs = poll.firstMs; ; pollMs = Math.min(2 * pollMs, poll.maxMs)) {
      const attempt = newId();
      const now = clock.now();
      const lock = { attempt, lockedUntil: now + leaseMs, now };
      if (await renderFlights.claim(key, lock, { retries: !flight.recallsFailures, awaited })) {
        const made = await fly(flight, attempt);
        if (made !== undefined) return made;
      }
      const row = await renderFlights.read(key);
      if (row && isAnswer(row, awaited, flight)) throw recall(row);
      awaited = row?.attempt;
      await sleep(clock, pollMs, endOf(flight));
      const found = await find(flight);
      if (found !== undefined) return found;
    }
  }

  function isAnswer(row: RenderFlightRow, awaited: string | undefined, flight: Flight<unknown>): boolean {
    const isRecent = row.failure !== null && row.failed_until > clock.now();
    return isRecent && (flight.recallsFailures || row.attempt === awaited);
  }

  /** Undefined if another machine has taken over. */
  async function fly<T>(flight: Flight<T>, attempt: string): Promise<T | undefined> {
    const key = { account_id: flight.accountId, cache_key: flight.cacheKey };
    const stopProlonging = every(clock, prolongEveryMs, () =>
      // A lease that cannot be prolonged ends, and another machine makes the render.
      renderFlights.keep(key, attempt, clock.now() + leaseMs).catch(() => {}),
    );
    try {
      // One that landed after the look and before the claim.
      const found = await find(flight);
      if (found === undefined)
        return await flight.make(async (tables) => {
          if (!(await tables.renderFlights.end(key, attempt))) throw new LostFlightError('lost the flight');
        }, endOf(flight));
      await renderFlights.end(key, attempt);
      return found;
    } catch (error) {
      if (error instanceof LostFlightError) return undefined;
      const isShared = error instanceof ServiceError && !isOfOne(error) && !endOf(flight).aborted;
      // If this cannot be written either, the lease ends by itself.
      await (
        isShared
          ? renderFlights.fail(key, attempt, remembered(error, clock.now()))
          : renderFlights.end(key, attempt)
      ).catch(() => {});
      throw error;
    } finally {
      stopProlonging();
    }
  }
}

async function find<T>(flight: Flight<T>, landing?: Landing): Promise<T | undefined> {
  const row = await (landing ? (landing.look ??= flight.look()) : flight.look());
  return row && flight.take(row);
}

const endOf = ({ detached, signal }: Flight<unknown>): AbortSignal => detached ?? signal;

/** What is wrong with one request alone, for which others ask with another key or without that field: they try for themselves. */
const isOfOne = (error: unknown): boolean =>
  (error instanceof QuotaExceededError && error.isOfKey) ||
  (error instanceof ServiceError && error.details.isOfDelivery === true);

function remembered({ code, complaint, details, retryAfterSeconds: seconds }: ServiceError, now: number) {
  const failure: RememberedError = {
    code,
    complaint,
    details,
    ...(seconds !== undefined && { retryAfterSeconds: seconds }),
  };
  return {
    failure: JSON.stringify(failure),
    failedUntil: now + (seconds === undefined ? failureMs : seconds * 1000),
  };
}

const recall = ({ failure, failed_until }: RenderFlightRow): RecalledFailure =>
  new RecalledFailure(JSON.parse(failure ?? '{}') as RememberedError, failed_until);

/** Rejects as soon as the signal is aborted; the work goes on. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason as Error);
  work.catch(() => {});
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
