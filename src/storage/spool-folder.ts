// The folder of files on their way into a store. A file's name tells which process holds it, so that the files of processes that no
// longer run can be found.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isId, newId } from '#core/ids.ts';
import { makeFolder } from '#storage/make-folder.ts';

/** A name in the folder that no sweep touches until it is released. */
export interface SpoolPlace {
  path: string;
  release(): void;
}

const held = new Set<string>();

export function createSpoolFolder(folder: string) {
  makeFolder(folder);
  return {
    newPlace(): SpoolPlace {
      const name = `${process.pid}-${newId()}`;
      held.add(name);
      return { path: join(folder, name), release: () => held.delete(name) };
    },
    /** Deletes the files of processes that no longer run. */
    async sweep(): Promise<void> {
      for (const name of await readdir(folder)) {
        const [, pid, id = ''] = /^(\d+)-([^-]+)$/.exec(name) ?? [];
        // A file with another name is not ours.
        if (!isId(id)) continue;
        const owner = Number(pid);
        // A file with this process's id that it does not hold is a leftover too: in a container every start has the same id.
        if (owner === process.pid ? !held.has(name) : !isAlive(owner))
          await rm(join(folder, name), { force: true });
      }
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
