#!/usr/bin/env node
// Starts the command line on the Node that comes with the project, whichever Node the machine has. What `npm run setup` built of these
// sources runs, and after a change the sources themselves.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtFolder } from './programs.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const pinnedNode = join(root, 'node_modules', '.bin', 'node');

if (Number(process.versions.node.split('.')[0]) >= 26) {
  const built = builtFolder();
  const isBuilt = existsSync(built);
  // Halves the start time: compiled code is cached between starts.
  module.enableCompileCache(
    isBuilt ? join(built, 'compiled') : join(root, 'node_modules', '.cache', 'tintype'),
  );
  // Errors name the lines of the sources. The maps are read at the first error.
  process.setSourceMapsEnabled(true);
  const { runCli } = await import(isBuilt ? join(built, 'cli.js') : '../src/cli.ts');
  process.exitCode = await runCli(process.argv.slice(2));
} else if (existsSync(pinnedNode)) {
  const { status } = spawnSync(pinnedNode, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
} else {
  process.stderr.write('tintype: nothing is installed yet; run "npm run setup" first\n');
  process.exitCode = 1;
}
