// The CPU priority of this process and of those that it starts. It matters only when processes compete.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { join } from 'node:path';

/**
 * Half of the default share of the processor: the service comes first, because every request needs it. Higher, and renders would lose to
 * other programs of the machine.
 */
export const workerNiceness = 3;
/** A tenth, with which a browser still starts on a busy machine: for a render that may have cost others their worker. */
export const lowNiceness = 10;
const lowest = 19;

/** Sets both kinds of niceness, because only one of them counts: see `weighsBySession`. */
export function lowerPriority(by: number): void {
  setPriority(Math.min(lowest, Math.max(0, getPriority()) + by));
  try {
    writeFileSync('/proc/self/autogroup', String(by));
  } catch {
    // Not grouped.
  }
}

/**
 * Whether Linux divides the processor between sessions first, so that a worker has one share however many processes its pages start. It
 * does not for processes in a control group with a CPU weight, as in most containers: there each thread has a share.
 */
export function weighsBySession(root = '/'): boolean {
  try {
    const isOn = readFileSync(join(root, 'proc/sys/kernel/sched_autogroup_enabled'), 'latin1').trim() === '1';
    const [, group = '/'] = /^0::(.*)$/m.exec(readFileSync(join(root, 'proc/self/cgroup'), 'latin1')) ?? [];
    return isOn && !existsSync(join(root, 'sys/fs/cgroup', group, 'cpu.weight'));
  } catch {
    return false;
  }
}
