// npx tintype as a process, with an environment of its own.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const program = join(import.meta.dirname, '..', '..', 'bin', 'tintype.js');

export interface CliRun {
  child: ChildProcess;
  /** Everything it has said so far, on both outputs. */
  output: () => string;
  exit: Promise<number | null>;
}

export function runCli(args: string[], environment: Record<string, string>): CliRun {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const exit = once(child, 'close').then(([code]) => code as number | null);
  return { child, output: () => output, exit };
}
