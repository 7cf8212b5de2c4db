// The folders that the server may read and write. The text of a web page can ask an assistant for any path, so a path counts only
// if it is below one of them once every link is resolved, and what was opened is checked, not only what was named.
import { constants } from 'node:fs';
import { lstat, mkdir, open, readlink, realpath, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, parse, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TintypeError } from '../../library/src/errors.ts';
import { FileRefused, type NamedFile } from '../../library/src/files.ts';
import { randomHex } from '../../library/src/form.ts';

export interface AllowedFolders {
  /** As given, absolute. Empty if nothing is allowed. */
  readonly list: readonly string[];
  /** A local file; it is opened when it is read. `argument` names it in messages. */
  fileAt(argument: string, path: string): NamedFile;
  /** Where to write; throws if it cannot be written. For a folder, a file of that name in it. */
  placeAt(argument: string, path: string, nameInFolder: string): Promise<Place>;
}

/** A file to write, which may not exist yet. */
export interface Place {
  readonly path: string;
  exists(): Promise<boolean>;
  /** The whole file or nothing. Without `mayReplace`, false if the file exists, also if it has just appeared. */
  write(bytes: Uint8Array, mayReplace: boolean): Promise<boolean>;
}

// Windows lacks the last three; joined with |, they count as 0 there.
const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * Throws for what is not a folder. Without any given, the working folder is allowed, unless it is the root: programs that start
 * servers often do so there, and it would allow everything.
 */
export async function allowFolders(given: readonly string[], workingFolder: string): Promise<AllowedFolders> {
  const isRoot = parse(workingFolder).root === workingFolder;
  const list =
    given.length > 0 ? given.map((folder) => resolve(workingFolder, plainPath(folder))) : [workingFolder];
  const folders = await Promise.all(
    (given.length === 0 && isRoot ? [] : list).map(async (path) => {
      if (!(await stat(path).catch(() => undefined))?.isDirectory())
        throw new Error(`--allow ${path}: there is no such folder`);
      return { path, real: await realpath(path) };
    }),
  );
  const base = folders[0]?.path ?? workingFolder;
  const isNamedInside = (path: string): boolean =>
    folders.some((folder) => isBelow(path, folder.path) || isBelow(path, folder.real));
  const isInside = (real: string): boolean => folders.some((folder) => isBelow(real, folder.real));
  const whatToDo =
    folders.length === 0
      ? 'This server was started in the root folder, so it may use no folder. Start it with --allow DIR.'
      : `This server may use only ${folders.map(({ path }) => path).join(', ')}. Choose a path in there, or start it with --allow ${sep}another${sep}folder.`;

  /** Relative to the first folder. */
  function locate(argument: string, text: string): string {
    const path = resolve(base, pathOf(argument, text));
    if (!isNamedInside(path))
      throw refused(`${argument}: ${path} is outside the allowed folders. ${whatToDo}`);
    return path;
  }

  function checkReal(argument: string, path: string, real: string): void {
    if (!isInside(real))
      throw refused(`${argument}: ${path} leads out of the allowed folders by a link. ${whatToDo}`);
  }

  /** A folder of which the real path is known, created below it where it is missing. */
  async function openFolder(argument: string, path: string): Promise<OpenFolder> {
    const missing: string[] = [];
    let existing = path;
    for (; !(await lstat(existing).catch(() => undefined)); existing = dirname(existing))
      missing.unshift(basename(existing));
    const real = await realpath(existing);
    checkReal(argument, path, real);
    let folder = await openReal(real);
    try {
      checkReal(argument, path, folder.real);
      for (const name of missing) {
        await mkdir(folder.at(name)).catch(unlessExists);
        const inner = await openReal(folder.at(name), join(folder.real, name));
        await folder.close();
        folder = inner;
        checkReal(argument, path, folder.real);
      }
      return folder;
    } catch (error) {
      await folder.close();
      throw error;
    }
  }

  return {
    list: folders.map(({ path }) => path),

    fileAt(argument, text) {
      const path = locate(argument, text);
      const filename = basename(path);
      return { filename, data: read() };

      async function* read(): AsyncGenerator<Uint8Array> {
        const real = await realpath(path);
        // In a batch, a file that is refused does not stop the others.
        const check = (found: string): void => {
          try {
            checkReal(argument, path, found);
          } catch (error) {
            throw new FileRefused('unreadable_file', filename, (error as Error).message);
          }
        };
        check(real);
        // Opening a pipe would wait for somebody who writes to it.
        const handle = await open(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
        try {
          check(await realPathOf(handle, real));
          if (!(await handle.stat()).isFile()) throw new Error('it is not a file');
          yield* handle.createReadStream({ autoClose: false }) as AsyncIterable<Uint8Array>;
        } finally {
          await handle.close();
        }
      }
    },

    async placeAt(argument, text, nameInFolder) {
      const given = locate(argument, text);
      const isFolder =
        /[/\\]$/.test(text) || (await stat(given).catch(() => undefined))?.isDirectory() === true;
      const path = isFolder ? join(given, nameInFolder) : given;
      const name = basename(path);

      async function inFolder<T>(work: (folder: OpenFolder) => Promise<T>): Promise<T> {
        try {
          const folder = await openFolder(argument, dirname(path));
          try {
            return await work(folder);
          } finally {
            await folder.close();
          }
        } catch (error) {
          if (error instanceof TintypeError) throw error;
          throw new Error(`cannot write ${path}: ${(error as Error).message}`, { cause: error });
        }
      }

      async function entryIn(folder: OpenFolder) {
        const entry = await lstat(folder.at(name)).catch(() => undefined);
        if (entry && !entry.isFile())
          throw refused(
            `${argument}: ${path} is a link, a folder or a device, and is not replaced. Choose another name.`,
          );
        return entry;
      }

      // Checked before a unit is spent.
      await inFolder(async (folder) => {
        await entryIn(folder);
        await rm(await newPart(folder, name, new Uint8Array()), { force: true });
      });
      return {
        path,
        exists: () => inFolder(async (folder) => (await entryIn(folder)) !== undefined),
        write: (bytes, mayReplace) =>
          inFolder(async (folder) => {
            await entryIn(folder);
            // From here on the name belongs to this call.
            const isClaimed = await create(folder.at(name)).catch(unlessExists);
            if (!isClaimed && !mayReplace) return false;
            try {
              // A link that has appeared meanwhile is replaced, not followed.
              await rename(await newPart(folder, name, bytes), folder.at(name));
            } catch (error) {
              if (isClaimed) await rm(folder.at(name), { force: true });
              throw error;
            }
            return true;
          }),
      };
    },
  };
}

interface OpenFolder {
  real: string;
  /** A path into the folder. On Linux it leads through the open descriptor, so a folder that is swapped for a link has no effect. */
  at(name: string): string;
  close(): Promise<void>;
}

async function openReal(path: string, known = path): Promise<OpenFolder> {
  const handle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch(
    (error: NodeJS.ErrnoException) => {
      // Windows does not open folders.
      if (process.platform === 'win32') return undefined;
      throw error;
    },
  );
  const isLinked = handle !== undefined && (await linkOf(handle)) !== undefined;
  return {
    real: handle ? await realPathOf(handle, known) : await realpath(known),
    at: (name) => join(isLinked ? `/proc/self/fd/${handle.fd}` : known, name),
    close: async () => handle?.close(),
  };
}

/** The path of what is open, as the kernel knows it; where it does not say, the real path of the name, if it is the same file. */
async function realPathOf(handle: FileHandle, path: string): Promise<string> {
  const link = await linkOf(handle);
  if (link !== undefined) return link;
  const real = await realpath(path);
  const [opened, named] = [await handle.stat(), await lstat(real)];
  if (opened.dev !== named.dev || opened.ino !== named.ino)
    throw new Error('it was replaced while it was opened');
  return real;
}

const linkOf = (handle: FileHandle): Promise<string | undefined> =>
  readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);

/** Writes a new file and returns its path. */
async function newPart(folder: OpenFolder, name: string, bytes: Uint8Array): Promise<string> {
  const part = folder.at(`${name}.${randomHex(4)}.part`);
  try {
    await create(part, bytes);
    return part;
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** Fails if it exists, even as a link. */
async function create(path: string, bytes: Uint8Array = new Uint8Array()): Promise<true> {
  const handle = await open(path, 'wx');
  try {
    await handle.writeFile(bytes);
    return true;
  } finally {
    await handle.close();
  }
}

function unlessExists(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'EEXIST') throw error;
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

const refused = (message: string): TintypeError => new TintypeError('validation_error', message);

function pathOf(argument: string, text: string): string {
  try {
    return plainPath(text);
  } catch (error) {
    throw refused(`${argument}: ${text} is not the address of a local file (${(error as Error).message}).`);
  }
}

/** Also `~` and `file://`, which assistants write. */
function plainPath(text: string): string {
  if (/^file:/i.test(text)) return fileURLToPath(text);
  if (text.includes('\0')) throw new Error('it contains the character U+0000');
  return text === '~' || /^~[/\\]/.test(text) ? join(homedir(), text.slice(1)) : text;
}
