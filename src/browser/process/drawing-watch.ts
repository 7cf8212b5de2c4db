// Watches the process that draws all pages of a browser. A page with hundreds of filters, or a long shader, keeps it busy for a
// minute, and no other page is drawn meanwhile. No page is known to be the cause.
import { threadsOf, threadTimesMs } from '#browser/process/proc.ts';

export interface DrawingWatch {
  /** True while one of its threads has been busy for a second without a pause. */
  readonly isBusy: boolean;
  /** Called regularly, with the process; undefined if the browser has none. */
  look(pid: number | undefined): void;
}

interface Seen {
  at: number;
  /** Running, or waiting for a core: on a busy machine a thread that never sleeps runs only now and then. */
  busyMs: number;
  busySince: number;
  ranMsBefore: number;
}

const betweenLooksMs = 200;
// The tallest ordinary page takes 0.3 s.
const longMs = 1_000;
// On a very busy machine, any thread waits for a second now and then.
const leastRanMs = 300;
const busyShare = 0.85;

export function createDrawingWatch(now: () => number = () => performance.now()): DrawingWatch {
  let threads = new Map<number, Seen>();
  let lookedAt = -Infinity;
  let isBusy = false;

  function see(pid: number, thread: number): Seen & { isLong: boolean } {
    const at = now();
    const { ran, waited } = threadTimesMs(pid, thread);
    const busyMs = ran + waited;
    const before = threads.get(thread);
    const isStill = before !== undefined && busyMs - before.busyMs >= busyShare * (at - before.at);
    const busySince = isStill ? before.busySince : at;
    const ranMsBefore = isStill ? before.ranMsBefore : ran;
    const isLong = at - busySince >= longMs && ran - ranMsBefore >= leastRanMs;
    return { at, busyMs, busySince, ranMsBefore, isLong };
  }

  return {
    get isBusy() {
      return isBusy;
    },
    look(pid) {
      if (now() - lookedAt < betweenLooksMs) return;
      lookedAt = now();
      const seen =
        pid === undefined ? [] : threadsOf(pid).map((thread) => [thread, see(pid, thread)] as const);
      threads = new Map(seen);
      isBusy = seen.some(([, { isLong }]) => isLong);
    },
  };
}
