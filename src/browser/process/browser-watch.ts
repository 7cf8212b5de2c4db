// Watches what the pages of a browser take of it during renders. Ends pages that use too much memory (one was seen to reach 6 GB in
// 9 s), pauses those that flood the browser process, and lowers the CPU priority of busy ones. Reads /proc; without it (macOS) nothing
// is watched.
import { createBusyPages } from '#browser/process/busy-pages.ts';
import { createPhase } from '#browser/process/deadline.ts';
import { createDrawingWatch } from '#browser/process/drawing-watch.ts';
import { lowerProcess } from '#browser/process/priority.ts';
import type { ChromiumProcess } from '#browser/process/chromium-process.ts';
import { createFloodWatch } from '#browser/process/flood-watch.ts';
import { isInGroup, usageOf } from '#browser/process/proc.ts';
import type { Log } from '#browser/browser.ts';

export interface MemoryLimits {
  /** Of one page process. */
  pageBytes: number;
  /** Of all page processes of one render together. */
  renderBytes: number;
  /** Of each process that all pages share: the browser process, which holds their blobs, and the one that draws. */
  browserBytes: number;
  /** What the machine has left for all. */
  leftBytes: () => number;
}

export interface BrowserWatch {
  /** Why processes of this render were ended; undefined if none was. */
  whyEnded(render: object): string | undefined;
  /** Memory of the browser process itself, at the last check. */
  readonly browserBytes: number;
  /** Assigns the process to this render. Processes without a render are checked together. */
  own(pid: number, render: object): void;
  /** True while a page keeps the process busy that draws all pages. */
  readonly isDrawing: boolean;
  /** Lowers the priority of that process. */
  lowerDrawing(): void;
  /** Ends the browser. Its renders are retried, each in its own, so it does not matter whose page it was. */
  endBrowser(because: string): Promise<void>;
  look(): Promise<void>;
}

type Page = { pid: number; bytes: number };

const answerMs = 2_000;
// On a busy machine Chromium reports the end of a process seconds later.
const latelyMs = 15_000;
// As for a page that has used much CPU time.
const busyDrawing = 12;

// A page without a render that is no larger was opened in advance (it has 70 MiB at most), or is a small one that made no requests.
const smallBytes = 100 * 1024 ** 2;
const smallShare = 1 / 8;

export const tooBusy = 'the page kept the browser from its other work';
const tooMuchMemory = 'the page exceeded the memory limit of a render';
const tooLittleLeft = 'the page needed more memory than there is left';
// What a render may always use: others may have taken the rest.
const floorBytes = 256 * 1024 ** 2;

/** `isSeparate` if all pages of the browser belong to one render. */
export function createBrowserWatch(
  process: ChromiumProcess,
  limits: MemoryLimits,
  isSeparate: boolean,
  log: Log,
): BrowserWatch {
  const busyPages = createBusyPages((pid) => isInGroup(pid, process.pid));
  const flood = createFloodWatch(process.pid, (pid) =>
    log.warn({ pid }, 'a page floods the browser and is paused'),
  );
  const drawing = createDrawingWatch();
  const owners = new Map<number, object>();
  const reasons = new WeakMap<object, string>();
  // Why the browser, or a process that belongs to no render, was ended last.
  let struck = { at: -Infinity, because: '' };
  let browserBytes = 0;
  let isLooking = false;
  let drawingPid: number | undefined;

  function strike(pids: readonly number[], because: string, details: object = {}): void {
    for (const pid of pids) {
      const render = owners.get(pid);
      if (render) reasons.set(render, because);
      else struck = { at: performance.now(), because };
      // It may have ended by itself since it was checked.
      if (!isInGroup(pid, process.pid)) continue;
      globalThis.process.kill(pid, 'SIGKILL');
      log.warn({ pid, ...details }, `${because}, and was ended`);
    }
  }

  async function endBrowser(because: string): Promise<void> {
    struck = { at: performance.now(), because };
    log.warn({ pid: process.pid, because }, 'the browser was ended for what a page did');
    await process.close();
  }

  async function checkMemory(pages: readonly Page[], sharedBytes: number): Promise<void> {
    const renders = Map.groupBy(pages, ({ pid }) => owners.get(pid));
    // Twice of what is left, so that the largest renders end while there is still some for the others.
    const mostBytes = Math.max(floorBytes, 2 * limits.leftBytes());
    for (const [render, processes] of renders) {
      const bytes = processes.reduce((sum, page) => sum + page.bytes, 0);
      const large = processes.filter((page) => page.bytes > limits.pageBytes);
      const small = render ? 0 : Math.min(smallBytes, smallShare * limits.renderBytes);
      const candidates = processes.filter((page) => page.bytes > small);
      if (bytes > limits.renderBytes) strike(pidsOf(candidates), tooMuchMemory, { bytes });
      else if (large.length > 0) strike(pidsOf(large), tooMuchMemory, { bytes });
      else if (bytes > mostBytes) strike(pidsOf(candidates), tooLittleLeft, { bytes, mostBytes });
    }
    if (sharedBytes < Math.min(limits.browserBytes, mostBytes)) return;
    // Nothing shows whose blobs or textures they are.
    const because = sharedBytes < limits.browserBytes ? tooLittleLeft : tooMuchMemory;
    if (isSeparate) strike(pidsOf(pages), because, { sharedBytes });
    else await endBrowser(because);
  }

  async function look(): Promise<void> {
    const phase = createPhase(process.gone, answerMs, () => new Error('no answer'));
    try {
      flood.asked();
      const { root } = process.connection;
      const { processInfo } = await root.send('SystemInfo.getProcessInfo', undefined, phase.signal);
      flood.answered(new Set(processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id)));
      drawingPid = processInfo.find(({ type }) => type === 'GPU')?.id;
      drawing.look(drawingPid);
      const pids = new Set(processInfo.map(({ id }) => id));
      busyPages.forgetAllBut(pids);
      const pages: Page[] = [];
      let sharedBytes = 0;
      for (const { type, id: pid, cpuTime } of processInfo) {
        const { memoryBytes: bytes, threads } = usageOf(pid);
        if (type === 'browser') browserBytes = bytes;
        if (type === 'renderer') {
          busyPages.note(pid, cpuTime, threads);
          pages.push({ pid, bytes });
        } else sharedBytes = Math.max(sharedBytes, bytes);
      }
      for (const pid of owners.keys()) if (!pids.has(pid)) owners.delete(pid);
      await checkMemory(pages, sharedBytes);
    } catch {
      // The browser is gone, or too busy to answer in time: the next check will tell.
    } finally {
      phase.end();
    }
  }

  return {
    whyEnded(render) {
      const lately = performance.now() - struck.at < latelyMs ? struck.because : undefined;
      return reasons.get(render) ?? lately;
    },
    get browserBytes() {
      return browserBytes;
    },
    own(pid, render) {
      owners.set(pid, render);
    },
    get isDrawing() {
      return drawing.isBusy;
    },
    lowerDrawing() {
      if (drawingPid !== undefined && isInGroup(drawingPid, process.pid))
        lowerProcess(drawingPid, busyDrawing);
    },
    endBrowser,
    async look() {
      if (isLooking) {
        strike(flood.overdue(), tooBusy);
        if (flood.isLost) await endBrowser(tooBusy);
        return;
      }
      isLooking = true;
      await look();
      isLooking = false;
    },
  };
}

const pidsOf = (pages: readonly Page[]): number[] => pages.map(({ pid }) => pid);
