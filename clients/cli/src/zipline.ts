// What the export of a Zipline 4 server says about files: names, tags, folders, expiry, views. The bytes are not in it.
import { readFile } from 'node:fs/promises';
import type { UploadFields } from '../../library/src/hosting.ts';
import { UsageError } from '../../shared/src/terminal.ts';

/** The part of the export that is used: `zipline4_export_….json`, made by an administrator. */
interface Export {
  versions?: { export?: string };
  data?: {
    users?: { id: string; username: string }[];
    folders?: { id: string; name: string }[];
    userTags?: { name: string; files: string[] }[];
    files?: ExportedFile[];
  };
}

interface ExportedFile {
  id: string;
  name: string;
  originalName?: string | null;
  deletesAt?: string | null;
  views?: number;
  maxViews?: number | null;
  password?: string | null;
  userId?: string | null;
  folderId?: string | null;
}

export interface KnownFile {
  filename: string;
  fields: UploadFields;
  folder: { id: string; name: string } | undefined;
  hasPassword: boolean;
  /** Its time or its views are over. */
  isOver: boolean;
}

export interface Zipline {
  /** By the name under which Zipline stores it. Undefined: not in the export, or another user's. */
  find(name: string): KnownFile | undefined;
}

/** Bounds of version 2. */
const bounds = { tags: 20, tagCharacters: 40, seconds: { min: 60, max: 31_536_000 } };

/** `names` are the files that there are; `now` is when the import began, so that a repeat asks for the same. */
export async function readZipline(
  path: string,
  names: string[],
  { user, now }: { user: string | undefined; now: number },
): Promise<Zipline> {
  const { users = [], folders = [], userTags = [], files = [] } = await readExport(path);
  const isThere = new Set(names);
  const present = files.filter(({ name }) => isThere.has(name));
  const owner = chooseUser(users, present, user);
  const own = new Map(
    present.filter(({ userId }) => owner === undefined || userId === owner).map((file) => [file.name, file]),
  );
  return {
    find(name) {
      const file = own.get(name);
      if (!file) return undefined;
      const left = file.maxViews ? file.maxViews - (file.views ?? 0) : undefined;
      const seconds = file.deletesAt ? Math.floor((Date.parse(file.deletesAt) - now) / 1000) : undefined;
      const tags = userTags.filter((tag) => tag.files.includes(file.id)).map((tag) => tag.name);
      return {
        filename: file.originalName || file.name,
        folder: folders.find(({ id }) => id === file.folderId),
        hasPassword: Boolean(file.password),
        isOver: (left !== undefined && left < 1) || (seconds !== undefined && seconds < bounds.seconds.min),
        fields: {
          ...(tags.length > 0 && {
            tags: tags.slice(0, bounds.tags).map((tag) => tag.slice(0, bounds.tagCharacters)),
          }),
          ...(left !== undefined && { maxViews: left }),
          ...(seconds !== undefined && { expiresIn: Math.min(seconds, bounds.seconds.max) }),
        },
      };
    },
  };
}

async function readExport(path: string): Promise<NonNullable<Export['data']>> {
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new UsageError(`cannot read ${path}: ${error.message}`);
  });
  let found: Export | undefined;
  try {
    found = JSON.parse(text) as Export;
  } catch {
    // Said below.
  }
  if (found?.versions?.export !== '4' || !Array.isArray(found.data?.files))
    throw new UsageError(`${path} is not the export of a Zipline 4 server`);
  return found.data;
}

/** One account gets the files of one user. */
function chooseUser(
  users: { id: string; username: string }[],
  present: ExportedFile[],
  asked: string | undefined,
): string | undefined {
  const owners = new Set(present.map(({ userId }) => userId));
  const named = users.filter(({ id }) => owners.has(id));
  const list = named.map(({ username }) => username).join(', ');
  if (asked !== undefined) {
    const [found] = named.filter(({ username }) => username === asked);
    if (!found)
      throw new UsageError(`no files of the user "${asked}"; there are files of ${list || 'nobody'}`);
    return found.id;
  }
  if (named.length > 1) throw new UsageError(`there are files of ${list}; choose one with --user`);
  return undefined;
}
