// Requests that arrive at a fixed rate, whether or not earlier ones were answered. Each is timed from the moment at which it was
// due, so a pause of the server counts for every request that it delayed, not only for the one that it stopped.
import { createTurns } from '#core/turns.ts';
import { openConnection, type Connection } from '#lab/bench/connection.ts';

export interface Arrival {
  /** Seconds since the first one was due. */
  at: number;
  ms: number;
}

export async function atFixedRate(
  work: () => Promise<unknown>,
  perSecond: number,
  seconds: number,
): Promise<Arrival[]> {
  const count = Math.round(perSecond * seconds);
  const startedAt = performance.now();
  const sent: Promise<Arrival>[] = [];
  const send = async (at: number): Promise<Arrival> => {
    await work();
    return { at, ms: performance.now() - startedAt - at * 1_000 };
  };
  while (sent.length < count) {
    const due = Math.min(count, Math.ceil(((performance.now() - startedAt) / 1_000) * perSecond));
    while (sent.length < due) sent.push(send(sent.length / perSecond));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return Promise.all(sent);
}

/** A client with this many connections; a request that finds none idle waits for one. */
const mostConnections = 64;
// Before the server closes it: a request on a closed connection would be lost.
const freshMs = 1_000;

export function connectionsTo(origin: string, status: number) {
  const idle: { connection: Connection; usedAt: number }[] = [];
  const inTurn = createTurns(mostConnections);

  async function take(): Promise<Connection> {
    for (let kept = idle.pop(); kept; kept = idle.pop()) {
      if (performance.now() - kept.usedAt < freshMs) return kept.connection;
      kept.connection.close();
    }
    return openConnection(origin);
  }

  return {
    send: (request: Buffer): Promise<void> =>
      inTurn(async () => {
        const connection = await take();
        const answer = await connection.send(request);
        if (answer.status !== status) throw new Error(`${origin} answered ${answer.status}, not ${status}`);
        idle.push({ connection, usedAt: performance.now() });
      }),
  };
}
