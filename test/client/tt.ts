// Runs `tt` as a person would: built to plain JavaScript, with a settings folder of its own.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
let built: string | undefined;

/** The built main file; a test file has a build of its own, because test files run side by side. */
export function buildTt(): string {
  if (built !== undefined) return built;
  const folder = join(root, 'test/output', `tt-${process.pid}`);
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const project = join(root, 'client/tsconfig.json');
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', project, '--outDir', folder]);
  if (status !== 0) throw new Error(`the client does not build: ${stdout.toString()}`);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  built = join(folder, 'cli/main.js');
  return built;
}

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
    XDG_CONFIG_HOME: join(folder, 'settings'),
    ...(login && { TINTYPE_URL: login.url, TINTYPE_API_KEY: login.key }),
  };

  function start(args: string[], extra: Record<string, string> = {}, input?: Buffer | string) {
    const child = spawn(process.execPath, [buildTt(), ...args], {
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
