// The part that reads and writes files by path. It is loaded when a path is given, and left out of bundles for browsers.
export { open, rename, rm, stat, writeFile } from 'node:fs/promises';
