// A model of many machines on one Postgres: requests arrive at random, accounts differ greatly in size, and every transaction
// waits for a core of the database, for the counter of its account and for the disk. Its costs were measured by `bench fleet` and
// in docs/operations.md; its results for a thousand machines are calculated from them, not measured.
import { createEvents } from '#lab/bench/model-events.ts';

/** Milliseconds, as measured on 2 cores; change them for another database. */
export const measuredCosts = {
  /** One statement on a core of Postgres: an upload's 1.2 ms divided by its 6 round trips. */
  statementMs: 0.2,
  admissionMs: 0.11,
  /** Round trip between machine and database, within one data centre. */
  roundTripMs: 0.3,
  /** Time of one sync of the disk, which all waiting commits share. */
  syncMs: 1,
  /** A new connection starts a new Postgres process. */
  connectMs: 5,
};

export interface Installation {
  machines: number;
  /** Of Postgres. */
  cores: number;
  accounts: number;
  /** Connections of each machine. */
  connections: number;
  /** A machine with 4 cores at 70 %: 7 renders and 70 uploads a second. */
  uploadsPerSecond: number;
  rendersPerSecond: number;
  /** Share of the machines that are replaced in a minute. */
  replacedPerMinute: number;
  /** False: all accounts are of one size. */
  hasLargeAccounts: boolean;
  seconds: number;
}

export const usualInstallation: Installation = {
  machines: 10,
  cores: 16,
  accounts: 10_000,
  connections: 10,
  uploadsPerSecond: 70,
  rendersPerSecond: 7,
  replacedPerMinute: 0.02,
  hasLargeAccounts: true,
  seconds: 2,
};

export interface Outcome {
  offeredPerSecond: number;
  donePerSecond: number;
  medianMs: number;
  p99Ms: number;
  /** Utilisation, from 0 to 1; near 1 is the limit. */
  busy: { 'cores of Postgres': number; 'counter of the largest account': number; 'disk of Postgres': number };
  connections: number;
}

/** Ledger, daily sum and row: the statements of an upload after the one that locks the counter. */
const statementsBehindLock = 3;

export function simulate(
  installation: Installation,
  costs = measuredCosts,
  random = randomNumbers(1),
): Outcome {
  const { machines, cores, accounts, connections, seconds } = installation;
  const endMs = seconds * 1_000;
  const events = createEvents();
  const accountOf = installation.hasLargeAccounts
    ? zipf(accounts, random)
    : () => Math.floor(random() * accounts);
  const database = createServers(cores);
  const disk = { isBusy: false, waiting: [] as (() => void)[], busyMs: 0 };
  const counters = new Map<number, { queue: (() => void)[]; busyMs: number; heldSince: number }>();
  const pools = Array.from({ length: machines }, () => createServers(connections));
  const latencies: number[] = [];
  const transactionsPerSecond =
    machines * (installation.uploadsPerSecond + 2 * installation.rendersPerSecond);

  /** Milliseconds on a core, plus the round trip. */
  const ask = (ms: number, then: () => void): void => {
    events.after(costs.roundTripMs, () =>
      database.take((release) => {
        database.busyMs += ms;
        events.after(ms, () => {
          release();
          then();
        });
      }),
    );
  };
  function sync(then: () => void): void {
    disk.waiting.push(then);
    if (disk.isBusy) return;
    const flush = (): void => {
      const together = disk.waiting;
      disk.waiting = [];
      disk.isBusy = together.length > 0;
      if (!disk.isBusy) return;
      disk.busyMs += costs.syncMs;
      events.after(costs.syncMs, () => {
        for (const commit of together) commit();
        flush();
      });
    };
    flush();
  }
  function lock(account: number, then: (release: () => void) => void): void {
    const counter = counters.get(account) ?? { queue: [], busyMs: 0, heldSince: -1 };
    counters.set(account, counter);
    const hold = (): void => {
      counter.heldSince = events.now();
      then(() => {
        counter.busyMs += events.now() - counter.heldSince;
        counter.heldSince = -1;
        counter.queue.shift()?.();
      });
    };
    if (counter.heldSince >= 0 || counter.queue.length > 0) counter.queue.push(hold);
    else hold();
  }
  function transaction(machine: number): void {
    const startedAt = events.now();
    const account = accountOf();
    pools[machine]?.take((release) => {
      ask(costs.admissionMs, () =>
        // Begins, and locks the counter.
        ask(2 * costs.statementMs, () =>
          lock(account, (unlock) => {
            const rest = (left: number): void =>
              left > 0
                ? ask(costs.statementMs, () => rest(left - 1))
                : ask(0, () =>
                    sync(() => {
                      unlock();
                      release();
                      latencies.push(events.now() - startedAt);
                    }),
                  );
            rest(statementsBehindLock);
          }),
        ),
      );
    });
  }
  function arrive(): void {
    transaction(Math.floor(random() * machines));
    const pauseMs = (-Math.log(1 - random()) * 1_000) / transactionsPerSecond;
    if (events.now() + pauseMs < endMs) events.after(pauseMs, arrive);
  }
  function replaceMachine(): void {
    for (let connection = 0; connection < connections; connection += 1) ask(costs.connectMs, () => {});
    events.after(60_000 / (machines * installation.replacedPerMinute), replaceMachine);
  }
  events.after(0, arrive);
  events.after(random() * 1_000, replaceMachine);
  events.runUntil(endMs);

  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Infinity;
  const largest = Math.max(
    0,
    ...[...counters.values()].map(
      ({ busyMs, heldSince }) => busyMs + (heldSince < 0 ? 0 : endMs - heldSince),
    ),
  );
  return {
    offeredPerSecond: transactionsPerSecond,
    donePerSecond: latencies.length / seconds,
    medianMs: at(0.5),
    p99Ms: at(0.99),
    busy: {
      'cores of Postgres': Math.min(1, database.busyMs / (cores * endMs)),
      'counter of the largest account': largest / endMs,
      'disk of Postgres': disk.busyMs / endMs,
    },
    connections: machines * connections,
  };
}

/** This many at a time; the others wait in a queue. */
function createServers(count: number) {
  const waiting: (() => void)[] = [];
  let free = count;
  return {
    busyMs: 0,
    take(work: (release: () => void) => void): void {
      const run = () =>
        work(() => {
          const next = waiting.shift();
          if (next) next();
          else free += 1;
        });
      if (free === 0) return void waiting.push(run);
      free -= 1;
      run();
    },
  };
}

/** The account of rank n sends a share in proportion to 1/n: of ten thousand, the largest sends a tenth of everything. */
function zipf(accounts: number, random: () => number): () => number {
  const sums = new Float64Array(accounts);
  let sum = 0;
  for (let rank = 1; rank <= accounts; rank += 1) sums[rank - 1] = sum += 1 / rank;
  return () => {
    const wanted = random() * sum;
    let [low, high] = [0, accounts - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

/** The same sequence in every run: mulberry32. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const connectionsOfPostgres = 1_000;

/** A row for each number of machines: the load, the result, and the bottleneck. */
export function modelTable(): string[][] {
  const installations = [10, 30, 100, 300, 1_000].flatMap((machines) =>
    [true, false].map((hasLargeAccounts) => ({
      ...usualInstallation,
      machines,
      hasLargeAccounts,
      cores: 64,
      // Long enough for queues to show, short enough to compute in seconds.
      seconds: machines > 100 ? 0.5 : 2,
    })),
  );
  return installations.map((installation) => {
    const outcome = simulate(installation);
    const { busy, connections } = outcome;
    const short = Object.entries(busy).filter(([what, share]) => share > 0.9 && what !== 'disk of Postgres');
    return [
      String(installation.machines),
      installation.hasLargeAccounts ? 'one in ten of everything' : 'like all others',
      outcome.offeredPerSecond.toFixed(0),
      outcome.donePerSecond.toFixed(0),
      outcome.medianMs.toFixed(1),
      outcome.p99Ms.toFixed(1),
      ...Object.values(busy).map((share) => `${Math.round(100 * share)} %`),
      [
        ...short.map(([what]) => what),
        ...(connections > connectionsOfPostgres ? [`${connections} connections`] : []),
      ].join(', '),
    ];
  });
}

export const modelColumns = [
  'machines',
  'largest account',
  'commits asked a second',
  'done',
  'median ms',
  'p99 ms',
  'cores of Postgres (64)',
  'counter of the largest account',
  'disk (shared by commits)',
  'too little of',
];
