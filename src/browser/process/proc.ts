// Reads /proc on Linux for the browser's processes. On other systems nothing is known about them.
import { readdirSync, readFileSync } from 'node:fs';

// A full Chromium maps 175 MB of code and fonts at most.
const codeKiB = 256 * 1024;

/** One read for each process, because running renders are checked ten times a second. */
export function usageOf(pid: number): { memoryBytes: number; threads: number } {
  const status = readProc(pid, 'status');
  const valueOf = (name: string): number => Number.parseInt(status.split(`\n${name}:`)[1] ?? '0', 10);
  const own = valueOf('RssAnon') + valueOf('RssShmem') + valueOf('VmSwap');
  // Every process maps the browser's code, which all of them share. What is above that is shared memory that lies in files.
  const inFiles = Math.max(0, valueOf('RssFile') - codeKiB);
  return { memoryBytes: (own + inFiles) * 1024, threads: valueOf('Threads') };
}

/** The id came from outside: only processes of this browser may be killed. */
export const isInGroup = (pid: number, group: number): boolean => statOf(pid).group === group;

function numbersIn(folder: string): number[] {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** The processes that renderers are forked from. Scans every process of the machine, so it must be called rarely. */
export const pageZygotesOf = (browser: number): number[] =>
  numbersIn('/proc').filter((pid) => {
    if (statOf(pid).group !== browser) return false;
    const command = readProc(pid, 'cmdline');
    return command.includes('--type=zygote') && !command.includes('--no-zygote-sandbox');
  });

export const threadsOf = (pid: number): number[] => numbersIn(`/proc/${pid}/task`);

/** Of one thread: how long it ran, and how long it waited for a core. The first thread of a process has the id of the process. */
export function threadTimesMs(pid: number, thread: number): { ran: number; waited: number } {
  const [ran, waited] = readProc(pid, `task/${thread}/schedstat`).split(' ');
  // Some kernels do not have it. The other file counts in hundredths of a second, and does not say how long it waited.
  if (waited === undefined) return { ran: statOf(pid, `task/${thread}/stat`).cpuMs, waited: 0 };
  return { ran: Number(ran) / 1e6, waited: Number(waited) / 1e6 };
}

/** The thread of a page process that exchanges messages with the browser process. */
export const sendingThread = (pid: number): number | undefined =>
  threadsOf(pid).find((thread) => readProc(pid, `task/${thread}/comm`) === 'Chrome_ChildIOT\n');

/** Clock ticks are hundredths of a second on every Linux. */
function statOf(pid: number, file = 'stat'): { group: number; cpuMs: number } {
  const stat = readProc(pid, file);
  // The fields after the name, which may contain anything: state, parent, group, …
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { group: Number(fields[2]), cpuMs: (Number(fields[11]) + Number(fields[12])) * 10 };
}

/** Synchronous, not in the thread pool: /proc needs no disk, and handing over to a thread costs more than the read. */
function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return '';
  }
}
