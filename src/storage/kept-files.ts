// Files that this version brings along, kept in a folder for the versions after it. What was first kept under a name stays.
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface KeptFiles {
  names: string[];
  read(name: string): Promise<Buffer>;
}

/** Copies those that `isKept` to the folder, unless the name is taken. */
export function keepFiles(
  folder: string,
  files: Iterable<[name: string, bytes: Buffer]>,
  isKept: (name: string) => boolean,
): KeptFiles {
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of files) {
    const place = join(folder, name);
    if (!isKept(name) || existsSync(place)) continue;
    // Whole or not at all; several processes may do this at once.
    const part = `${place}.${process.pid}.part`;
    writeFileSync(part, bytes);
    renameSync(part, place);
  }
  return { names: readdirSync(folder).filter(isKept), read: (name) => readFile(join(folder, name)) };
}
