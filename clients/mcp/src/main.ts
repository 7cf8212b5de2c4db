#!/usr/bin/env node
// tintype-mcp: the service's verbs as tools of an assistant, over stdio.
import { say } from '../../cli/src/command.ts';
import { openService } from '../../cli/src/service.ts';
import { createServer } from './server.ts';
import { serveStdio } from './stdio.ts';

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
// The client has gone, and with it everybody who could read a message.
process.stdout.on('error', () => process.exit(0));

await serveStdio({
  input: process.stdin,
  output: process.stdout,
  methods: createServer({ open: () => openService(), say }),
  signal: stop.signal,
});
