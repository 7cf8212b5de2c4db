// A file of a library that few renders need. It is opened when the worker starts, because the user that the worker becomes may not be
// allowed to, and read when a render needs it.
import { fstatSync, openSync, readSync } from 'node:fs';

export function openLibraryBytes(url: string): () => Buffer {
  const descriptor = openSync(new URL(url), 'r');
  return () => {
    const bytes = Buffer.alloc(fstatSync(descriptor).size);
    const count = readSync(descriptor, bytes, 0, bytes.length, 0);
    return bytes.subarray(0, count);
  };
}

export function openLibraryFile(url: string): () => string {
  const read = openLibraryBytes(url);
  return () => read().toString();
}
