// Where a picture or a document goes: a named file, stdout, or a file named after its page.
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { print } from './command.ts';
import { withoutTail } from '../without-tail.ts';

/** A name that every file system takes: www.example.com/a/b?c=d → www.example.com-a-b-c-d */
export function nameAfter(url: string): string {
  const { host, pathname, search } = new URL(url);
  const name = `${host}${pathname}${search}`.replaceAll(/[^\p{L}\p{N}.]+/gu, '-').replace(/^[-.]+/, '');
  return withoutTail(name, '-.').slice(0, 80) || 'page';
}

export async function deliver(
  bytes: Uint8Array,
  output: string | undefined,
  url: string,
  extension: string,
): Promise<void> {
  if (output === '-' || (output === undefined && !process.stdout.isTTY)) {
    await print(bytes);
    return;
  }
  const file = output ?? `${nameAfter(url)}.${extension}`;
  await writeWhole(file, bytes);
  await print(`${file}\n`);
}

/** A file is there whole or not at all: a kill in the middle leaves a .part. */
export async function writeWhole(file: string, bytes: Uint8Array): Promise<void> {
  const part = `${file}.part`;
  await mkdir(dirname(file), { recursive: true });
  try {
    await writeFile(part, bytes);
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
