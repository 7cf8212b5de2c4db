// Loaded into the service's process by `--import`, so that the product needs no seam for it: notes how long the event loop did nothing
// else, and tells it to whoever connects to the socket.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { isMainThread } from 'node:worker_threads';
import { pausesSocket, type Pauses } from '#lab/prove/pauses.ts';

const lookMs = 5;

/** Milliseconds that this thread has spent since it started. */
interface Spent {
  /** When this was read. */
  at: number;
  worked: number;
  /** For a core. */
  waited: number;
}

// The service's worker threads load it too.
if (isMainThread) {
  const workedMs = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  const read = (): Spent => ({ at: performance.now(), worked: workedMs(), waited: waitedMs() });
  let total = read();
  let last = total;
  let longest = { pauseMs: 0, waitedMs: 0, workMs: 0 };
  /** Of the thread's time, for these looks: on a busy machine as much as a request of 8 MB takes. */
  let lookedMs = 0;
  setInterval(() => {
    const now = read();
    const pauseMs = now.at - last.at - lookMs;
    const workMs = Math.max(longest.workMs, now.worked - last.worked);
    if (pauseMs > longest.pauseMs) longest = { pauseMs, waitedMs: now.waited - last.waited, workMs };
    else longest.workMs = workMs;
    last = now;
    lookedMs += workedMs() - now.worked;
  }, lookMs).unref();
  createServer((socket) => {
    const now = read();
    const share = (now.worked - total.worked - lookedMs) / (now.at - total.at);
    socket.on('error', () => {}).end(JSON.stringify({ ...longest, share } satisfies Pauses));
    [total, lookedMs] = [now, 0];
    longest = { pauseMs: 0, waitedMs: 0, workMs: 0 };
  })
    .listen(process.env[pausesSocket])
    .unref();
}

/** How long the thread could have run but had no core. Only Linux says so. */
function waitedMs(): number {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'latin1').split(' ')[1]) / 1_000_000;
  } catch {
    return 0;
  }
}
