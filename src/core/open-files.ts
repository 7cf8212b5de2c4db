// How many clients may be connected with the file descriptors that the system allows this process.
import { readFileSync } from 'node:fs';

/** An idle connection takes about 15 KB. */
const maxClients = 8_000;
/** For the database, stored files, render workers and the object store. */
const forOthers = 256;
/** Descriptors with which none of them is missing. A connection may need two, for its socket and for a file. */
export const enoughFiles = forOthers + 2 * maxClients;

export function connectionsFor(openFiles: number): number {
  return Math.min(maxClients, Math.max(1, Math.floor((openFiles - forOthers) / 2)));
}

/** The hard limit: Node raises the soft one to it. Infinity where it is not known. */
export function openFileLimit(): number {
  try {
    const [, limits = ''] = readFileSync('/proc/self/limits', 'latin1').split('Max open files');
    const [, hard] = /^ +\d+ +(\d+)/.exec(limits) ?? [];
    return Number(hard ?? Infinity);
  } catch {
    // Not Linux.
    return Infinity;
  }
}
