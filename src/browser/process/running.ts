// Whether a process that left its name somewhere still runs: an id alone may be another's by now, or the same in a container
// that was started again.
import { readFileSync } from 'node:fs';

/** In clock ticks since boot: with the process id it names one process for good. '0' where there is no /proc. */
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
    // Not ours to signal, but there.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
