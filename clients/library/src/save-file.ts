// Writes a result to a file: whole or not at all, and over another one only if told so.
import { randomHex } from './form.ts';

export async function saveFile(
  bytes: Uint8Array,
  path: string,
  { overwrite = false }: { overwrite?: boolean | undefined } = {},
): Promise<string> {
  const { open, rename, rm, writeFile } = await import('./paths.ts');
  // This module is empty in bundles for browsers.
  if (typeof open !== 'function') throw new TypeError('save does not work in a browser; use the bytes');
  const part = `${path}.${randomHex(4)}.part`;
  try {
    await writeFile(part, bytes);
    // Takes the name, or fails if it is taken.
    if (!overwrite) await (await open(path, 'wx')).close();
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  return path;
}
