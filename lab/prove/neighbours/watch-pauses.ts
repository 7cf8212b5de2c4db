// Loaded into the service's process by `--import`, so that the product needs no seam for it: notes how long the event loop did nothing
// else, and tells it to whoever connects to the socket.
import { createServer } from 'node:net';
import { isMainThread } from 'node:worker_threads';
import { pausesSocket, type Pauses } from '#lab/prove/neighbours/pauses.ts';

const lookMs = 5;

// The service's worker threads load it too.
if (isMainThread) {
  const none = (): Pauses => ({ longestMs: 0, workMs: 0 });
  const workedMs = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let longest = none();
  let last = { at: performance.now(), worked: workedMs() };
  setInterval(() => {
    const now = { at: performance.now(), worked: workedMs() };
    longest = {
      longestMs: Math.max(longest.longestMs, now.at - last.at - lookMs),
      workMs: Math.max(longest.workMs, now.worked - last.worked),
    };
    last = now;
  }, lookMs).unref();
  createServer((socket) => {
    socket.on('error', () => {}).end(JSON.stringify(longest));
    longest = none();
  })
    .listen(process.env[pausesSocket])
    .unref();
}
