// Divides the file descriptors that the system allows this process between its clients, the pages it renders and everything else.
import { readFileSync } from 'node:fs';

export interface OpenFileShares {
  /** Connections of clients at once. */
  clients: number;
  /** Connections at once of one page that is being rendered. */
  perRender: number;
  /** Descriptors that would be enough for all of them. */
  enough: number;
  openFiles: number;
}

/** An idle connection takes about 15 KB. */
const mostClients = 8_000;
/** For the database, stored files, the browser's pipes and the object store. */
const forOthers = 256;

/**
 * A client's connection may need two descriptors, for its socket and for a file; so does one of a page, for the browser's side and
 * the server's. If there are too few, pages get at most half of them, so that they cannot take those of the clients.
 */
export function openFileShares(
  { renders, connectionsEach }: { renders: number; connectionsEach: number },
  openFiles = openFileLimit(),
): OpenFileShares {
  const wanted = 2 * connectionsEach * renders;
  const shared = Math.max(0, openFiles - forOthers);
  const forRenders = Math.min(wanted, shared / 2);
  return {
    clients: Math.min(mostClients, Math.max(1, Math.floor((shared - forRenders) / 2))),
    perRender: Math.max(1, Math.floor(forRenders / 2 / renders)),
    enough: forOthers + wanted + 2 * mostClients,
    openFiles,
  };
}

/** The hard limit: Node raises the soft one to it. Infinity where it is not known. */
function openFileLimit(): number {
  try {
    const [, limits = ''] = readFileSync('/proc/self/limits', 'latin1').split('Max open files');
    const [, hard] = /^ +\d+ +(\d+)/.exec(limits) ?? [];
    return Number(hard ?? Infinity);
  } catch {
    // Not Linux.
    return Infinity;
  }
}
