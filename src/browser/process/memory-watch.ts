// Ends pages that take too much memory, and them alone: a page was seen to reach 6 GB in 9 s. Ends the whole browser when one
// keeps it from its work. Those that take much processor time go behind the others. Reads /proc; where there is none (macOS) nothing is watched.
import { createBusyPages } from '#browser/process/busy-pages.ts';
import { createPhase } from '#browser/process/deadline.ts';
import type { ChromiumProcess } from '#browser/process/chromium-process.ts';
import { createFloodWatch } from '#browser/process/flood-watch.ts';
import { isInGroup, memoryBytes } from '#browser/process/proc.ts';
import type { Log } from '#browser/browser.ts';

export interface MemoryLimits {
  /** Of one page process. */
  pageBytes: number;
  /** Of all page processes of one render. */
  renderBytes: number;
  /** Of the browser process, where the blobs of every page are kept. */
  browserBytes: number;
}

export interface MemoryWatch {
  /** Why page processes were ended within the last moments; undefined when none was. */
  readonly struckBecause: string | undefined;
  /** Of the browser process itself, when last looked at. */
  readonly browserBytes: number;
  /** The process works for this render. Those of which nobody says so are judged together. */
  own(pid: number, render: object): void;
  look(): Promise<void>;
}

type Page = { pid: number; bytes: number; usedSeconds: number };

const answerMs = 2_000;
const latelyMs = 5_000;
// Sooner than this a browser at work is merely busy.
const overdueMs = 1_500;
// Blobs go when their render has: only then is it known whether another page is to blame too.
const betweenBrowserStrikesMs = 3_000;

// Of what a render may use. A page that nobody owns and that is no larger is one made ahead of need, or a small one that asked
// for nothing.
const smallShare = 1 / 8;

export const tooBusy = 'the page kept the browser from its other work';
const tooMuchMemory = 'the page used more memory than a render may';

export function createMemoryWatch(process: ChromiumProcess, limits: MemoryLimits, log: Log): MemoryWatch {
  const busyPages = createBusyPages();
  const flood = createFloodWatch(process.pid);
  const owners = new Map<number, object>();
  const cpuSeconds = new Map<number, number>();
  let struck = { at: -Infinity, because: '' };
  let browserBytes = 0;
  let isLooking = false;
  let askedAt: number | undefined;

  function strike(pages: readonly { pid: number }[], because: string, details: object): void {
    struck = { at: performance.now(), because };
    for (const { pid } of pages) {
      // It may have ended by itself since it was looked at.
      if (!isInGroup(pid, process.pid)) continue;
      globalThis.process.kill(pid, 'SIGKILL');
      log.warn({ pid, ...details }, `${because}, and was ended`);
    }
  }

  function judgeMemory(pages: readonly Page[]): void {
    const renders = Map.groupBy(pages, ({ pid }) => owners.get(pid));
    for (const [render, processes] of renders) {
      const bytes = processes.reduce((sum, page) => sum + page.bytes, 0);
      const large = processes.filter((page) => page.bytes > limits.pageBytes);
      const small = render ? 0 : smallShare * limits.renderBytes;
      const candidates = processes.filter((page) => page.bytes > small);
      if (bytes > limits.renderBytes) strike(candidates, tooMuchMemory, { bytes });
      else if (large.length > 0) strike(large, tooMuchMemory, { bytes });
    }
    if (browserBytes < limits.browserBytes || performance.now() - struck.at < betweenBrowserStrikesMs) return;
    // Nothing tells whose blobs they are; making them takes work.
    const [busiest] = pages.toSorted((a, b) => b.usedSeconds - a.usedSeconds);
    if (busiest && busiest.usedSeconds > 0) strike([busiest], tooMuchMemory, { browserBytes });
  }

  async function look(): Promise<void> {
    const phase = createPhase(process.gone, answerMs, () => new Error('no answer'));
    try {
      askedAt ??= performance.now();
      const { root } = process.connection;
      const { processInfo } = await root.send('SystemInfo.getProcessInfo', undefined, phase.signal);
      askedAt = undefined;
      flood.forget();
      const pids = processInfo.map(({ id }) => id);
      busyPages.forgetAllBut(pids);
      const pages: Page[] = [];
      for (const { type, id: pid, cpuTime } of processInfo) {
        const bytes = memoryBytes(pid);
        if (type === 'browser') browserBytes = bytes;
        if (type !== 'renderer' || !isInGroup(pid, process.pid)) continue;
        busyPages.note(pid, cpuTime);
        pages.push({ pid, bytes, usedSeconds: cpuTime - (cpuSeconds.get(pid) ?? 0) });
        cpuSeconds.set(pid, cpuTime);
      }
      for (const known of [owners, cpuSeconds])
        for (const pid of known.keys()) if (!pids.includes(pid)) known.delete(pid);
      judgeMemory(pages);
    } catch {
      // The browser is gone, or so busy that it is late: the next look sees.
    } finally {
      phase.end();
    }
  }

  return {
    get struckBecause() {
      return performance.now() - struck.at < latelyMs ? struck.because : undefined;
    },
    get browserBytes() {
      return browserBytes;
    },
    own(pid, render) {
      owners.set(pid, render);
    },
    async look() {
      if (askedAt !== undefined && performance.now() - askedAt > overdueMs && flood.isFlooded()) {
        // What has piled up would hold up every other page for long, so the browser goes whole. Renders are tried again, each in
        // a browser of its own: nobody needs to know whose page it was.
        struck = { at: performance.now(), because: tooBusy };
        log.warn({ pid: process.pid }, 'a page kept the browser from its other work: the browser was ended');
        await process.close();
        return;
      }
      if (isLooking) return;
      isLooking = true;
      await look();
      isLooking = false;
    },
  };
}
