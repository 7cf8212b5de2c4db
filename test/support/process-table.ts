// What the operating system reports about a test's processes, descriptors and folders.
import type { IncomingMessage } from 'node:http';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { scratchPrefix } from '#browser/process/scratch-folder.ts';

export interface ProcessRow {
  pid: number;
  parent: number;
  group: number;
  session: number;
  command: string;
  /** Stopped by a signal. */
  isStopped: boolean;
}

interface TableRow extends ProcessRow {
  /** False for a zombie. */
  isRunning: boolean;
}

/** Running processes below `ancestor`; zombies do not count. */
export function descendants(ancestor = process.pid): ProcessRow[] {
  return below(ancestor).filter(({ isRunning }) => isRunning);
}

function below(ancestor: number): TableRow[] {
  const rows = allProcesses();
  const found: TableRow[] = [];
  let parents = new Set([ancestor]);
  while (parents.size > 0) {
    const children = rows.filter(({ parent }) => parents.has(parent));
    found.push(...children);
    parents = new Set(children.map(({ pid }) => pid));
  }
  return found;
}

/** The browsers that this process, or the given one, started; one row each. */
export function browsers(ancestor = process.pid): ProcessRow[] {
  return descendants(ancestor).filter(
    ({ command }) => command.includes('--remote-debugging-pipe') && !command.includes('--type='),
  );
}

/** The render workers that this process, or the given one, started. Each leads the process group of its browser. */
export function workers(ancestor = process.pid): ProcessRow[] {
  return descendants(ancestor).filter(
    ({ pid, group, command }) => pid === group && /worker\/main\.ts|render-worker\.js/.test(command),
  );
}

/** The worker that made a request, by its end of the connection. */
export function workerOf({ socket }: IncomingMessage): ProcessRow | undefined {
  const port = socket.remotePort!.toString(16).toUpperCase().padStart(4, '0');
  const rows = readFileSync('/proc/net/tcp', 'latin1').split('\n');
  const row = rows
    .map((line) => line.trim().split(/\s+/))
    .find(([, local, , state]) => local?.endsWith(`:${port}`) === true && state === '01');
  return workers().find(({ pid }) => socketInodes(pid).includes(row?.[9] ?? ''));
}

export function groupMembers(group: number): ProcessRow[] {
  return allProcesses().filter((row) => row.isRunning && row.group === group);
}

export function openDescriptors(pid = process.pid): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Files below a folder that this process has open, also deleted ones. */
export function openFilesIn(folder: string): string[] {
  return readdirSync('/proc/self/fd')
    .map((descriptor) => {
      try {
        return readlinkSync(`/proc/self/fd/${descriptor}`);
      } catch {
        // Closed since, as the one that this list was read with.
        return '';
      }
    })
    .filter((path) => path.startsWith(`${folder}/`));
}

/** Memory that a process holds; 0 if it has ended. */
export function rssBytes(pid = process.pid): number {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
    return Number(kilobytes ?? 0) * 1024;
  } catch {
    return 0;
  }
}

export function scratchFolders(pid = process.pid): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith(scratchPrefix(pid)));
}

/** TCP ports on which any of these processes listens. */
export function listeningPorts(pids: number[]): number[] {
  const inodes = new Set(pids.flatMap(socketInodes));
  const rows = ['tcp', 'tcp6'].flatMap((name) => readFileSync(`/proc/net/${name}`, 'latin1').split('\n'));
  const ports = rows.flatMap((row) => {
    const [, local = '', , state, , , , , , inode = ''] = row.trim().split(/\s+/);
    return state === '0A' && inodes.has(inode) ? [Number.parseInt(local.split(':')[1]!, 16)] : [];
  });
  return [...new Set(ports)];
}

function socketInodes(pid: number): string[] {
  return attempt(() => readdirSync(`/proc/${pid}/fd`), []).flatMap((name) => {
    const target = attempt(() => readlinkSync(`/proc/${pid}/fd/${name}`, 'latin1'), '');
    return /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? [];
  });
}

/** What the kernel reports about a process: user, capabilities, filters. */
export const statusOf = (pid: number): string => readFileSync(`/proc/${pid}/status`, 'latin1');

/** The namespace of a process, by its number; `kind` is user, pid, net … */
export const namespaceOf = (pid: number, kind: string): string => readlinkSync(`/proc/${pid}/ns/${kind}`);

/** The process may have ended meanwhile. */
function attempt<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/** CPU time that it has used so far; the kernel counts in hundredths of a second. */
export function cpuMs(pid: number): number {
  const fields = attempt(() => statOf(pid), []);
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * 10;
}

/**
 * CPU time of a process and its children, including ended ones. The kernel adds the time of a child to that of its parent once the
 * parent has waited for it; until then the child is a zombie and still has its own.
 */
export function treeCpuMs(ancestor: number): number {
  const pids = [ancestor, ...below(ancestor).map(({ pid }) => pid)];
  const ticks = pids.flatMap((pid) => attempt(() => statOf(pid), []).slice(11, 15));
  return ticks.reduce((total, field) => total + Number(field) * 10, 0);
}

/** CPU time of the first thread of a process alone; 0 if there is none. */
export const mainThreadMs = (pid: number): number =>
  Number(attempt(() => readFileSync(`/proc/${pid}/schedstat`, 'latin1'), '0').split(' ')[0]) / 1_000_000;

/** 0 is normal; higher is a lower priority. */
export const nicenessOf = (pid: number): number => Number(attempt(() => statOf(pid), [])[16] ?? 0);

/** The fields after the name: state, parent, group, … */
function statOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function allProcesses(): TableRow[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const [state, parent, group, session] = statOf(Number(name));
        const command = readFileSync(`/proc/${name}/cmdline`, 'latin1').replaceAll('\0', ' ');
        const isRunning = state !== 'Z';
        const isStopped = state === 'T';
        return [
          {
            pid: Number(name),
            parent: Number(parent),
            group: Number(group),
            session: Number(session),
            command,
            isRunning,
            isStopped,
          },
        ];
      } catch {
        return [];
      }
    });
}
