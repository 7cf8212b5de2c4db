// How much memory there is for the service and its browsers: that of the machine, or of the container if it has less.
import { readFileSync } from 'node:fs';
import { freemem, totalmem } from 'node:os';
import { dirname, join } from 'node:path';

export interface Memory {
  totalBytes: number;
  leftBytes(): number;
}

// Linux limits the memory of a container with control groups. Version 2 has one tree of groups, version 1 a tree for each resource.
const versions = [
  {
    line: /^0::(\/.*)$/m,
    mount: 'sys/fs/cgroup',
    limit: 'memory.max',
    used: 'memory.current',
    cached: ['inactive_file', 'active_file'],
  },
  {
    line: /^\d+:memory:(\/.*)$/m,
    mount: 'sys/fs/cgroup/memory',
    limit: 'memory.limit_in_bytes',
    used: 'memory.usage_in_bytes',
    cached: ['total_inactive_file', 'total_active_file'],
  },
];

/** `root` is the folder that holds `proc` and `sys`. */
export function openMemory(root = '/'): Memory {
  const read = (...path: string[]): string => {
    try {
      return readFileSync(join(root, ...path), 'utf8');
    } catch {
      return '';
    }
  };
  const bytesIn = (...path: string[]): number => Number.parseInt(read(...path), 10);
  const groups = versions.flatMap((version) => {
    const own = version.line.exec(read('proc/self/cgroup'))?.[1];
    const folders = own === undefined ? [] : parentsOf(own).map((path) => join(version.mount, path));
    return folders.map((folder) => ({ ...version, folder, limitBytes: bytesIn(folder, version.limit) }));
  });
  // A group without a limit has the word "max" there, or a number beyond all machines.
  const limited = groups.filter(({ limitBytes }) => limitBytes < totalmem());

  /** What is cached of files is given up before anything has to end. */
  function leftIn({ folder, limitBytes, used, cached }: (typeof limited)[number]): number {
    const stat = `\n${read(folder, 'memory.stat')}`;
    const cachedBytes = cached
      .map((name) => Number.parseInt(stat.split(`\n${name} `)[1] ?? '0', 10))
      .reduce((sum, bytes) => sum + bytes);
    return limitBytes - (bytesIn(folder, used) || 0) + cachedBytes;
  }

  return {
    totalBytes: Math.min(totalmem(), ...limited.map(({ limitBytes }) => limitBytes)),
    leftBytes: () => Math.min(freemem(), ...limited.map(leftIn)),
  };
}

/** The group itself and those that it is in, each of which may have a limit. */
function parentsOf(path: string): string[] {
  return path === '/' ? [path] : [path, ...parentsOf(dirname(path))];
}

export const memory = openMemory();
