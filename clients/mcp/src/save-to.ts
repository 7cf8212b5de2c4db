// The file of save_to. An existing file is replaced only with overwrite: true.
import { rm, stat, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { nameAfter, preparePlace, writeWhole } from '../../cli/src/output-file.ts';
import { TintypeError } from '../../library/src/errors.ts';

/** Checked before the render, so that no unit is spent on what cannot be kept. */
export async function fileAt(
  place: string | undefined,
  url: string,
  extension: string,
  mayReplace: boolean,
): Promise<string | undefined> {
  if (place === undefined) return undefined;
  const name = URL.canParse(url) ? nameAfter(url) : 'page';
  const file = resolve(await preparePlace(place, `${name}.${extension}`));
  if (!mayReplace && (await stat(file).catch(() => undefined))) throw exists(file);
  return file;
}

/** An existing file is an error unless the assistant was allowed to replace it, also when it appeared during the render. */
export async function keep(file: string, bytes: Uint8Array, mayReplace: boolean): Promise<void> {
  if (mayReplace) return writeWhole(file, bytes);
  await claim(file);
  try {
    await writeWhole(file, bytes);
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
}

/** Creates the file, empty, unless it exists: from here on the name belongs to this call. */
async function claim(file: string): Promise<void> {
  try {
    await writeFile(file, '', { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw exists(file);
    throw error;
  }
}

function exists(file: string): TintypeError {
  return new TintypeError(
    'validation_error',
    `save_to: ${file} exists; choose another name or set overwrite.`,
  );
}
