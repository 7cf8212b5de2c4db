// Where the clone and its programs are. They run from their sources, or from the files that bin/programs.js makes of them in
// dist/DIGEST/, which is two folders below the root, as this file is.
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
  'picture-decoder': 'src/uploads/pictures/main.ts',
  'file-cleaner': 'src/uploads/file-worker.ts',
};

const isBuilt = import.meta.filename.endsWith('.js');

export const programFile = (name: keyof typeof programs): string =>
  isBuilt ? join(import.meta.dirname, `${name}.js`) : join(root, programs[name]);
