// Clients that hold a connection and do little with it: some are silent, some drip headers, some stop in a body.
import { connect, type Socket } from 'node:net';

export interface Ended {
  /** The first line of the response, without its version; empty for a plain close. */
  answer: string;
  afterMs: number;
}

export interface Holder {
  socket: Socket;
  /** Resolves when the service has ended the connection. */
  ended: Promise<Ended>;
}

/** Sends `first`, then `drip` every second for as long as possible. */
export function hold(port: number, first: string, drip = ''): Promise<Holder> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  const startedAt = performance.now();
  const { promise: ended, resolve } = Promise.withResolvers<Ended>();
  const timer = drip === '' ? undefined : setInterval(() => socket.writable && socket.write(drip), 1_000);
  socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
  socket.on('error', () => {});
  socket.on('close', () => {
    clearInterval(timer);
    const [line = ''] = received.split('\r\n', 1);
    const [, code] = /"code":"(\w+)"/.exec(received) ?? [];
    resolve({
      answer: [line.replace('HTTP/1.1 ', ''), code].filter(Boolean).join(', '),
      afterMs: performance.now() - startedAt,
    });
  });
  const { promise, resolve: opened, reject } = Promise.withResolvers<Holder>();
  socket.once('error', reject);
  socket.once('connect', () => {
    if (first !== '') socket.write(first);
    opened({ socket, ended });
  });
  return promise;
}

/** Opens many, a hundred at a time. */
export async function holdMany(count: number, open: () => Promise<Holder>): Promise<Holder[]> {
  const holders: Holder[] = [];
  while (holders.length < count) {
    const batch = Math.min(100, count - holders.length);
    holders.push(...(await Promise.all(Array.from({ length: batch }, open))));
  }
  return holders;
}

/** How the service ended them: "480 × 408 Request Timeout after 20.1 to 25.3 s". */
export async function describeEnds(holders: Holder[]): Promise<{ seen: string; answers: Set<string> }> {
  const ends = await Promise.all(holders.map(({ ended }) => ended));
  const byAnswer = Map.groupBy(ends, ({ answer }) => answer || 'closed');
  const seconds = (ms: number): string => (ms / 1_000).toFixed(1);
  const seen = [...byAnswer].map(([answer, list]) => {
    const times = list.map(({ afterMs }) => afterMs).toSorted((left, right) => left - right);
    return `${list.length} × ${answer} after ${seconds(times[0] ?? 0)} to ${seconds(times.at(-1) ?? 0)} s`;
  });
  return { seen: seen.join(', '), answers: new Set(byAnswer.keys()) };
}
