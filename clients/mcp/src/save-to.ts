// The file of save_to. An existing file is replaced only with overwrite: true.
import { TintypeError } from '../../library/src/errors.ts';
import { nameAfter } from '../../shared/src/file-names.ts';
import type { AllowedFolders, Place } from './allowed-folders.ts';

/** Checked before the render, so that no unit is spent on what cannot be kept. */
export async function placeFor(
  folders: AllowedFolders,
  path: string | undefined,
  url: string,
  extension: string,
  mayReplace: boolean,
): Promise<Place | undefined> {
  if (path === undefined) return undefined;
  const name = URL.canParse(url) ? nameAfter(url) : 'page';
  const place = await folders.placeAt('save_to', path, `${name}.${extension}`);
  if (!mayReplace && (await place.exists())) throw exists(place);
  return place;
}

/** An existing file is an error unless the assistant was allowed to replace it, also when it appeared during the render. */
export async function keep(place: Place, bytes: Uint8Array, mayReplace: boolean): Promise<void> {
  if (!(await place.write(bytes, mayReplace))) throw exists(place);
}

function exists({ path }: Place): TintypeError {
  return new TintypeError(
    'validation_error',
    `save_to: ${path} exists; choose another name or set overwrite.`,
  );
}
