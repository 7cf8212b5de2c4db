// How everything here is measured: the contenders take turns within one run, so that other load on the machine affects all of
// them equally, and a figure is the median of many turns.

export interface Summary {
  median: number;
  p10: number;
  p90: number;
  p99: number;
  count: number;
}

/** One piece of work; a lane is a client that begins its next piece when the last one is done. */
export type Work = (lane: number) => Promise<unknown>;

export interface Load {
  /** Pieces of work per second, one value for each turn. */
  perSecond: number[];
  /** How long each piece took, over all turns. */
  latencyMs: number[];
  /** Processor time of a piece, one value for each turn, where a contender is a process. */
  cpuMs: number[];
}

/** The length of one turn: in seconds, or in pieces of work. */
export type Turn = { seconds: number } | { pieces: number };

/**
 * Milliseconds of each round, by contender. Every other round runs in reverse order, so that no contender always follows the same
 * one.
 */
export async function alternate<Name extends string>(
  contenders: Record<Name, Work>,
  rounds: number,
  warmUps: number,
): Promise<Record<Name, number[]>> {
  const times = forEach(contenders, (): number[] => []);
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const name of inTurn(contenders, round)) {
      const startedAt = performance.now();
      await contenders[name](0);
      if (round >= 0) times[name].push(performance.now() - startedAt);
    }
  }
  return times;
}

/** A closed loop with this many lanes for each contender, in turns; the first turn of each is a warm-up and does not count. */
export async function alternateLoad<Name extends string>(
  contenders: Record<Name, Work>,
  {
    lanes,
    turns,
    turn,
    cpuMsOf = () => 0,
    afterTurn = async () => {},
  }: {
    lanes: number;
    turns: number;
    turn: Turn;
    /** CPU time that the contender has used so far. */
    cpuMsOf?: (name: Name) => number;
    afterTurn?: (name: Name) => Promise<void>;
  },
): Promise<Record<Name, Load>> {
  const loads = forEach(contenders, (): Load => ({ perSecond: [], latencyMs: [], cpuMs: [] }));
  for (let round = -1; round < turns; round += 1) {
    for (const name of inTurn(contenders, round)) {
      const cpuMsBefore = cpuMsOf(name);
      const { perSecond, latencyMs } = await runTurn(contenders[name], lanes, turn);
      const cpuMs = cpuMsOf(name) - cpuMsBefore;
      await afterTurn(name);
      if (round < 0) continue;
      loads[name].perSecond.push(perSecond);
      loads[name].cpuMs.push(cpuMs / latencyMs.length);
      // One by one: there are too many for the arguments of one call.
      for (const ms of latencyMs) loads[name].latencyMs.push(ms);
    }
  }
  return loads;
}

export async function runTurn(
  work: Work,
  lanes: number,
  turn: Turn,
): Promise<{ perSecond: number; latencyMs: number[] }> {
  const latencyMs: number[] = [];
  const startedAt = performance.now();
  let begun = 0;
  const isOver = (): boolean =>
    'seconds' in turn ? performance.now() - startedAt >= turn.seconds * 1_000 : begun >= turn.pieces;
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      while (!isOver()) {
        begun += 1;
        const pieceStartedAt = performance.now();
        await work(lane);
        latencyMs.push(performance.now() - pieceStartedAt);
      }
    }),
  );
  return { perSecond: (latencyMs.length * 1_000) / (performance.now() - startedAt), latencyMs };
}

export function summarise(values: number[]): Summary {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { median: at(0.5), p10: at(0.1), p90: at(0.9), p99: at(0.99), count: sorted.length };
}

export function inTurn<Name extends string>(contenders: Record<Name, unknown>, round: number): Name[] {
  const names = Object.keys(contenders) as Name[];
  return round % 2 === 0 ? names : names.toReversed();
}

function forEach<Name extends string, T>(contenders: Record<Name, unknown>, make: () => T): Record<Name, T> {
  return Object.fromEntries(Object.keys(contenders).map((name) => [name, make()])) as Record<Name, T>;
}
