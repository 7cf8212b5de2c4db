#!/usr/bin/env node
// tintype-mcp: the service as tools for an assistant, over stdio.
import { parseArgs } from 'node:util';
import { version } from '../../library/src/version.ts';
import { nameProgram, print, say } from '../../shared/src/terminal.ts';
import { openService } from '../../shared/src/service.ts';
import { allowFolders } from './allowed-folders.ts';
import { createServer } from './server.ts';
import { serveStdio } from './stdio.ts';

const help = `Usage: tintype-mcp [--allow DIR]...

A Model Context Protocol server over stdio: an assistant uploads images, sees
web pages, prints them to PDF, and lists and deletes what the account has. An
assistant starts it; it takes the login of "tt login", or TINTYPE_URL and
TINTYPE_API_KEY.

  --allow DIR  a folder in which local files are read and written; may be given
               several times. Without it, the folder in which it is started,
               unless that is the root folder. Relative paths start in the
               first folder. Links that lead out of the folders are refused.
  --help       this page
  --version    the version
`;

nameProgram('tintype-mcp');
const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
// The client has gone.
process.stdout.on('error', () => process.exit(0));
// Messages that nobody reads do not stop the work.
process.stderr.on('error', () => {});

try {
  const { values } = parseArgs({
    options: {
      allow: { type: 'string', multiple: true },
      help: { type: 'boolean' },
      version: { type: 'boolean' },
    },
  });
  if (values.help) await print(help);
  else if (values.version) await print(`${version}\n`);
  else await serve(values.allow ?? []);
} catch (error) {
  say((error as Error).message);
  process.exitCode = 2;
}

async function serve(allowed: string[]): Promise<void> {
  const folders = await allowFolders(allowed, process.cwd());
  await serveStdio({
    input: process.stdin,
    output: process.stdout,
    methods: createServer({ open: () => openService(), say, folders }),
    signal: stop.signal,
  });
}
