// Runs `tt` as a person would, with a settings folder of its own. It runs from its sources; package.test.ts runs what is built.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileCache, root } from '#test/support/processes.ts';

export const ttFile = join(root, 'clients/cli/src/main.ts');

interface Ended {
  code: number | null;
  stdout: Buffer;
  stderr: string;
}

export interface CommandLine {
  folder: string;
  environment: Record<string, string>;
  tt(
    args: string[],
    options?: { input?: Buffer | string; environment?: Record<string, string> },
  ): Promise<Ended>;
  start(args: string[]): { child: ChildProcess; ended: Promise<Ended> };
  remove(): Promise<void>;
}

export async function createCommandLine(
  login: { url: string; key: string } | undefined,
): Promise<CommandLine> {
  const folder = await mkdtemp(join(tmpdir(), 'tintype-tt-'));
  const environment = {
    PATH: process.env['PATH'] ?? '',
    ...compileCache,
    XDG_CONFIG_HOME: join(folder, 'settings'),
    ...(login && { TINTYPE_URL: login.url, TINTYPE_API_KEY: login.key }),
  };

  function start(args: string[], extra: Record<string, string> = {}, input?: Buffer | string) {
    const child = spawn(process.execPath, [ttFile, ...args], {
      cwd: folder,
      env: { ...environment, ...extra },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const stdout: Buffer[] = [];
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.stdin.end(input ?? '');
    const ended = new Promise<Ended>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve({ code, stdout: Buffer.concat(stdout), stderr }));
    });
    return { child, ended };
  }

  return {
    folder,
    environment,
    tt: (args, options = {}) => start(args, options.environment, options.input).ended,
    start: (args) => start(args),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
