// The memory of a process and its children when it has nothing to do.
import { readFileSync } from 'node:fs';
import { summarise } from '#lab/bench/measure.ts';
import { descendants } from '#test/support/process-table.ts';

const settleMs = 3_000;
const sampleMs = 250;

/** Ten samples of a process that has been idle for a while. */
export async function restingMb(pid: number): Promise<number[]> {
  await pause(settleMs);
  const looks: number[] = [];
  for (let look = 0; look < 10; look += 1) {
    looks.push(treeMb(pid));
    await pause(sampleMs);
  }
  return [summarise(looks).median];
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The process and its children; shared memory is counted once. */
function treeMb(pid: number): number {
  const pids = [pid, ...descendants(pid).map((child) => child.pid)];
  return pids.reduce((sum, id) => sum + proportionalKb(id), 0) / 1024;
}

function proportionalKb(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))?.[1] ?? 0);
  } catch {
    // It ended meanwhile.
    return 0;
  }
}
