// The part that reads files by path. It is loaded when a path is given, and left out of bundles for browsers.
export { open, stat } from 'node:fs/promises';
