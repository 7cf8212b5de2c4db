// Finds the root of the clone and the service's programs. A program runs from its source, or from the file that bin/programs.js has built of
// it in dist/DIGEST/. That folder is as deep as src/core/, so the same path leads from both to the root.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');

export const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string;
};

/** What is started as a process or a thread: the name of its built file, and its source. */
export const programs = {
  cli: 'src/cli.ts',
  'render-worker': 'src/browser/worker/main.ts',
  cell: 'src/cell-program.ts',
  'database-reader': 'src/storage/read-worker.ts',
};

const isBuilt = import.meta.filename.endsWith('.js');

export const programFile = (name: keyof typeof programs): string =>
  isBuilt ? join(import.meta.dirname, `${name}.js`) : join(root, programs[name]);
