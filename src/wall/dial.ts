// Connects to the first of several checked addresses that answers, racing them as in RFC 8305. Never resolves a name.
import { connect, isIP, type Socket } from 'node:net';

const staggerMs = 250;
const maxAddresses = 8;

export interface DialOptions {
  addresses: readonly string[];
  port: number;
  timeoutMs: number;
  /** Checked before each attempt, so that a closed door stops dialling. */
  isDone: () => boolean;
  /** Called with every attempt, so that the door can destroy it. */
  track: (socket: Socket) => void;
}

export function dial({ addresses, port, timeoutMs, isDone, track }: DialOptions): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  // `connect` would look up a name, unchecked.
  const waiting = addresses.filter((address) => isIP(address) !== 0).slice(0, maxAddresses);
  const attempts = new Set<Socket>();
  let lastError: Error | undefined;
  let stagger: NodeJS.Timeout | undefined;

  function attemptNext(): void {
    clearTimeout(stagger);
    const address = waiting.shift();
    if (address === undefined || isDone()) {
      if (attempts.size === 0) settle(undefined);
      return;
    }
    const socket = connect({ host: address, port, noDelay: true, autoSelectFamily: false });
    attempts.add(socket);
    track(socket);
    socket.once('connect', () => settle(socket));
    socket.once('error', (error) => (lastError = error));
    socket.once('close', () => {
      if (attempts.delete(socket)) attemptNext();
    });
    stagger = setTimeout(attemptNext, staggerMs);
  }

  function settle(winner: Socket | undefined): void {
    clearTimeout(stagger);
    clearTimeout(deadline);
    waiting.length = 0;
    for (const socket of attempts) if (socket !== winner) socket.destroy();
    attempts.clear();
    if (winner === undefined) reject(lastError ?? new Error('no address to connect to'));
    else resolve(winner);
  }

  const deadline = setTimeout(() => {
    lastError = new Error('timed out');
    settle(undefined);
  }, timeoutMs);
  attemptNext();
  return promise;
}
