#!/usr/bin/env node
// tintype-mcp: the service as tools for an assistant, over stdio.
import { say } from '../../cli/src/command.ts';
import { openService } from '../../cli/src/service.ts';
import { createServer } from './server.ts';
import { serveStdio } from './stdio.ts';

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
// The client has gone.
process.stdout.on('error', () => process.exit(0));
// Messages that nobody reads do not stop the work.
process.stderr.on('error', () => {});

await serveStdio({
  input: process.stdin,
  output: process.stdout,
  methods: createServer({ open: () => openService(), say }),
  signal: stop.signal,
});
