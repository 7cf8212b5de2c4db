// Whether a process that recorded its identity still runs. The process id by itself is not enough: it may belong to another
// process by now, or be the same in a restarted container.
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

const thisHost = hostname().replaceAll(/[^A-Za-z0-9.]/g, '_');

/** This process in the name of a file. */
export const thisProcess = (): string => `${thisHost}-${process.pid}-${startTimeOf(process.pid)}`;

/** Whether the process of a name that begins like `thisProcess` runs; undefined for another machine, whose processes are unknown here. */
export function isOfRunning(name: string): boolean | undefined {
  const [, host, pid, startTime = ''] = /^([^-]*)-(\d+)-(\d+)/.exec(name) ?? [];
  return host === thisHost ? isRunning(Number(pid), startTime) : undefined;
}

/** In clock ticks since boot: together with the process id it identifies one process forever. '0' without /proc. */
export function startTimeOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '0';
  } catch {
    return '0';
  }
}

export function isRunning(pid: number, startTime: string): boolean {
  if (startTime !== '0') return startTimeOf(pid) === startTime;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It exists, but we may not signal it.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
