// Ends page processes that take too much memory, and them alone: a page was seen to reach 6 GB in 9 s. Those that take much
// processor time go behind the others. Reads /proc; where there is none (macOS) nothing is watched.
import { readFileSync } from 'node:fs';
import { createBusyPages } from '#browser/process/busy-pages.ts';
import { createPhase } from '#browser/process/deadline.ts';
import type { ChromiumProcess } from '#browser/process/chromium-process.ts';
import type { Log } from '#browser/browser.ts';

export interface MemoryWatch {
  /** A page process was ended within the last moments. */
  readonly struckLately: boolean;
  /** Of the browser process itself, when last looked at. */
  readonly browserBytes: number;
  look(): Promise<void>;
}

const answerMs = 2_000;
const latelyMs = 2_000;

export function createMemoryWatch(
  process: ChromiumProcess,
  rendererMostBytes: number,
  log: Log,
): MemoryWatch {
  let struckAt = -Infinity;
  let browserBytes = 0;
  let isLooking = false;
  const busyPages = createBusyPages();

  async function look(): Promise<void> {
    const phase = createPhase(process.gone, answerMs, () => new Error('no answer'));
    try {
      const { processInfo } = await process.connection.root.send(
        'SystemInfo.getProcessInfo',
        undefined,
        phase.signal,
      );
      busyPages.forgetAllBut(processInfo.map(({ id }) => id));
      for (const { type, id, cpuTime } of processInfo) {
        const bytes = residentBytes(id);
        if (type === 'browser') browserBytes = bytes;
        if (type !== 'renderer' || !isInGroup(id, process.pid)) continue;
        busyPages.note(id, cpuTime);
        if (bytes < rendererMostBytes) continue;
        struckAt = performance.now();
        globalThis.process.kill(id, 'SIGKILL');
        log.warn({ pid: id, bytes }, 'a page used too much memory and was ended');
      }
    } catch {
      // The browser is gone or stuck: others see to that.
    } finally {
      phase.end();
    }
  }

  return {
    get struckLately() {
      return performance.now() - struckAt < latelyMs;
    },
    get browserBytes() {
      return browserBytes;
    },
    async look() {
      if (isLooking) return;
      isLooking = true;
      await look();
      isLooking = false;
    },
  };
}

/** Not on a thread of the pool: there is no disk behind /proc, and to ask a thread costs more than to read. */
function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return '';
  }
}

function residentBytes(pid: number): number {
  const status = readProc(pid, 'status');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}

/** The id came from outside: nothing but a process of this browser may ever be killed. */
function isInGroup(pid: number, group: number): boolean {
  const stat = readProc(pid, 'stat');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]) === group;
}
