// Copies what a render reads into the folder of its worker, which may run as another user: a large document, the files of the request and
// the original of a picture, which are removed with the render, and the operator's list of hosts, which is copied again if it has changed.
import { createReadStream } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { newId } from '#core/ids.ts';
import type { Source, Task } from '#browser/job.ts';
import { PictureDeclined, type PictureTask } from '#browser/picture-job.ts';
import type { UnixUser } from '#browser/process/unprivileged.ts';

export interface HandOver {
  /** Resolves to the task with the names of the copies; undefined if there is nothing to copy. */
  give(id: string, task: Task | PictureTask): Promise<Task | PictureTask> | undefined;
  /** Removes the copies of this render. */
  takeBack(id: string): Promise<void>;
}

/** `folder` is the worker's. */
export function createHandOver(folder: string, owner: UnixUser | null): HandOver {
  /** How many files, by render. */
  const given = new Map<string, number>();
  let list: { version: string; name: Promise<string> } | undefined;

  /** Into a new file, because the worker may have put a link in its place. */
  async function copy(from: string | Readable, name: string): Promise<void> {
    await using file = await open(join(folder, name), 'wx', 0o600);
    if (owner) await file.chown(owner.uid, owner.gid);
    await file.writeFile(typeof from === 'string' ? createReadStream(from) : from);
  }

  async function copyFile<File extends { path: string }>(id: string, file: File): Promise<File> {
    const index = given.get(id);
    if (index === undefined) throw new Error('the render is over');
    const path = nameOf(id, index);
    given.set(id, index + 1);
    await copy(file.path, path);
    return { ...file, path };
  }

  async function copyFiles<File extends { path: string }>(id: string, files: File[]): Promise<File[]> {
    const copies: File[] = [];
    for (const file of files) copies.push(await copyFile(id, file));
    return copies;
  }

  async function copySource(id: string, source: Source): Promise<Source> {
    if (source.kind === 'url') return source;
    const { text, files } = source;
    return {
      ...source,
      text: typeof text === 'string' ? text : await copyFile(id, text),
      files: await copyFiles(id, files),
    };
  }

  async function copyList(path: string): Promise<string> {
    const { mtimeMs, size } = await stat(path);
    const version = `${path} ${mtimeMs} ${size}`;
    if (list?.version !== version) {
      const name = `hosts-${newId()}`;
      list = { version, name: copy(path, name).then(() => name) };
    }
    return list.name.catch((error: unknown) => {
      list = undefined;
      throw error;
    });
  }

  async function copyAll(id: string, task: Task): Promise<Task> {
    const { source, changes, references = [] } = task;
    const { blockedHostsFile } = changes;
    given.set(id, 0);
    return {
      ...task,
      references: await copyFiles(id, references),
      source: await copySource(id, source),
      changes: {
        ...changes,
        blockedHostsFile: blockedHostsFile === null ? null : await copyList(blockedHostsFile),
      },
    };
  }

  async function copyOriginal(id: string, task: PictureTask): Promise<PictureTask> {
    const { original } = task;
    if ('path' in original) return task;
    given.set(id, 1);
    using blob = await original.open();
    if (!blob) throw new PictureDeclined('gone');
    const path = nameOf(id, 0);
    await copy(blob.stream, path);
    return { ...task, original: { path } };
  }

  return {
    give(id, task) {
      if ('original' in task) return copyOriginal(id, task);
      const { source, changes, references = [] } = task;
      const isInFiles = source.kind !== 'url' && (typeof source.text !== 'string' || source.files.length > 0);
      return references.length > 0 || isInFiles || changes.blockedHostsFile !== null
        ? copyAll(id, task)
        : undefined;
    },
    async takeBack(id) {
      const count = given.get(id) ?? 0;
      given.delete(id);
      for (let index = 0; index < count; index += 1)
        await rm(join(folder, nameOf(id, index)), { force: true });
    },
  };
}

const nameOf = (id: string, index: number): string => `${id}-source-${index}`;
