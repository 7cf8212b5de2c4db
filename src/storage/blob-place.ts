// Where a blob is in its store on disk, and which files there are blobs.
import { join } from 'node:path';
import { isBlobKey } from '#core/ids.ts';

/** In a folder named after its first two characters. */
export const placeOf = (key: string): string => join(key.slice(0, 2), key);

/** Whether a file in a folder of the store is a blob. Others may have put their own files next to ours. */
export const isPlace = (folder: string, name: string): boolean =>
  isBlobKey(name) && placeOf(name) === join(folder, name);
