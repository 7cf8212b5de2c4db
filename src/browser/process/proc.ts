// Reads /proc on Linux for the memory of process groups. On other systems nothing is known about them.
import { readdirSync, readFileSync } from 'node:fs';

// Every process maps the browser's code, which all of them share; a full Chromium maps 175 MB of code and fonts at most.
const codeKiB = 256 * 1024;
/** A process stays in its group, unless it leaves before its program starts. */
const groupOf = new Map<number, number>();

/** Bytes by group. */
export function memoryOfGroups(groups: ReadonlySet<number>): Map<number, number> {
  const sums = new Map<number, number>();
  const pids = new Set(numbersIn('/proc'));
  for (const pid of groupOf.keys()) if (!pids.has(pid)) groupOf.delete(pid);
  for (const pid of pids) {
    const group = groupOf.get(pid) ?? readGroup(pid);
    groupOf.set(pid, group);
    if (groups.has(group)) sums.set(group, (sums.get(group) ?? 0) + memoryOf(pid));
  }
  return sums;
}

function memoryOf(pid: number): number {
  const status = readProc(pid, 'status');
  const valueOf = (name: string): number => Number.parseInt(status.split(`\n${name}:`)[1] ?? '0', 10);
  const own = valueOf('RssAnon') + valueOf('RssShmem') + valueOf('VmSwap');
  // What is above the code is shared memory that lies in files.
  return (own + Math.max(0, valueOf('RssFile') - codeKiB)) * 1024;
}

function numbersIn(folder: string): number[] {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function readGroup(pid: number): number {
  const stat = readProc(pid, 'stat');
  // The fields after the name, which may contain anything: state, parent, group, …
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
}

/** Synchronous, not in the thread pool: /proc needs no disk, and handing over to a thread costs more than the read. */
function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return '';
  }
}
