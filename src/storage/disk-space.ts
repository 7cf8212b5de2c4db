// How much room is left where the database and the files are.
import { statfs } from 'node:fs/promises';

export interface DiskSpace {
  freeBytes: number;
  totalBytes: number;
}

export async function diskSpace(folder: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}
