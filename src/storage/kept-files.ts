// Files that this version brings along, kept in a folder for the versions after it. What was first kept under a name stays.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface KeptFiles {
  names: string[];
  /** Names under which something else was kept than this version brings along: neither is to be had under them. */
  foreign: string[];
  read(name: string): Promise<Buffer>;
}

/** Copies those that `isKept` to the folder, unless the name is taken. `isSame` compares what was kept with what this version has. */
export function keepFiles(
  folder: string,
  files: Iterable<[name: string, bytes: Buffer]>,
  isKept: (name: string) => boolean,
  isSame: (name: string, kept: Buffer, own: Buffer) => boolean,
): KeptFiles {
  mkdirSync(folder, { recursive: true });
  const foreign: string[] = [];
  for (const [name, bytes] of files) {
    const place = join(folder, name);
    if (!isKept(name)) continue;
    if (existsSync(place)) {
      if (!isSame(name, readFileSync(place), bytes)) foreign.push(name);
      continue;
    }
    // Whole or not at all; several processes may do this at once.
    const part = `${place}.${process.pid}.part`;
    writeFileSync(part, bytes);
    renameSync(part, place);
  }
  const names = readdirSync(folder).filter((name) => isKept(name) && !foreign.includes(name));
  return { names, foreign, read: (name) => readFile(join(folder, name)) };
}
