// Makes the bytes of a file, or the names in a folder, survive a power cut.
import { open } from 'node:fs/promises';

export async function syncPath(path: string): Promise<void> {
  await using handle = await open(path, 'r');
  await handle.sync();
}
