// What the operating system knows of a test's processes, descriptors and folders.
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';

export interface ProcessRow {
  pid: number;
  parent: number;
  group: number;
  command: string;
}

/** Living processes below `ancestor`; the dead that nobody has buried yet do not count. */
export function descendants(ancestor = process.pid): ProcessRow[] {
  const rows = allProcesses();
  const found: ProcessRow[] = [];
  let parents = new Set([ancestor]);
  while (parents.size > 0) {
    const children = rows.filter(({ parent }) => parents.has(parent));
    found.push(...children);
    parents = new Set(children.map(({ pid }) => pid));
  }
  return found;
}

/** The browsers that this process started, one row each. */
export function browsers(): ProcessRow[] {
  return descendants().filter(
    ({ pid, group, command }) => pid === group && command.includes('--remote-debugging-pipe'),
  );
}

export function groupMembers(group: number): ProcessRow[] {
  return allProcesses().filter((row) => row.group === group);
}

export function openDescriptors(pid: number | 'self' = 'self'): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Memory that a process holds; 0 when it is gone. */
export function rssBytes(pid = process.pid): number {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
    return Number(kilobytes ?? 0) * 1024;
  } catch {
    return 0;
  }
}

export function scratchFolders(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith(`tintype-browser-${process.pid}-`));
}

function allProcesses(): ProcessRow[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
        const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        const command = readFileSync(`/proc/${name}/cmdline`, 'latin1').replaceAll('\0', ' ');
        return state === 'Z'
          ? []
          : [{ pid: Number(name), parent: Number(parent), group: Number(group), command }];
      } catch {
        return [];
      }
    });
}
