// What an import has done so far: a file of JSON lines that a killed import continues with.
import { appendFile, readFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { randomHex } from '../../library/src/form.ts';
import { UsageError } from '../../shared/src/terminal.ts';
import { writeWhole } from './output-file.ts';

interface Head {
  service: string;
  /** Part of every Idempotency-Key, so that another import of the same files is another one. */
  salt: string;
  started_at: string;
}

interface Line {
  done?: string;
  folder?: string;
  album?: string;
}

export interface ImportState {
  startedAt: number;
  isDone(file: string): boolean;
  albumOf(folder: string): string | undefined;
  /** The same for the same request of this import, whichever process sends it. */
  keyOf(...parts: string[]): string;
  addDone(file: string, upload: { id: string; url: string }): Promise<void>;
  addAlbum(folder: string, album: string): Promise<void>;
}

export async function openState(path: string, service: string): Promise<ImportState> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw new UsageError(`cannot read ${path}: ${error.message}`);
  });
  const [first = '', ...lines] = text.split('\n');
  const head = text === '' ? await begin(path, service) : (parsed(first) as Head | undefined);
  if (!head?.salt) throw new UsageError(`${path} is not the state of an import; name another with --state`);
  if (head.service !== service)
    throw new UsageError(`${path} is of an import to ${head.service}; name another with --state`);
  // A kill in the middle of a line leaves a part of it.
  if (text !== '' && !text.endsWith('\n')) await appendFile(path, '\n');

  const done = new Set<string>();
  const albums = new Map<string, string>();
  for (const line of lines) {
    const { done: file, folder, album } = (parsed(line) ?? {}) as Line;
    if (file !== undefined) done.add(file);
    if (folder !== undefined && album !== undefined) albums.set(folder, album);
  }
  const add = (line: object): Promise<void> => appendFile(path, `${JSON.stringify(line)}\n`);
  return {
    startedAt: Date.parse(head.started_at),
    isDone: (file) => done.has(file),
    albumOf: (folder) => albums.get(folder),
    keyOf: (...parts) =>
      createHash('sha256')
        .update(JSON.stringify([head.salt, ...parts]))
        .digest('hex'),
    addDone: (file, { id, url }) => add({ done: file, id, url }),
    async addAlbum(folder, album) {
      albums.set(folder, album);
      await add({ folder, album });
    },
  };
}

async function begin(path: string, service: string): Promise<Head> {
  const head = { service, salt: randomHex(16), started_at: new Date().toISOString() };
  try {
    await writeWhole(path, Buffer.from(`${JSON.stringify(head)}\n`));
  } catch (error) {
    throw new UsageError(`${(error as Error).message}; --state names another place`);
  }
  return head;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
