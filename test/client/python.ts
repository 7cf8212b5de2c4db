// A python3 process that uses the Python client, one call at a time.
import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '#test/support/processes.ts';

interface Outcome {
  result?: Record<string, unknown>;
  repr?: string;
  saved?: string;
  error?: Record<string, unknown>;
  /** Milliseconds. */
  waits: number[];
  /** Seconds, of each attempt. */
  timeouts: (number | null)[];
  told: unknown[];
}

export interface Call {
  client?: Record<string, unknown>;
  method: string;
  args: unknown[];
  options?: Record<string, unknown>;
  save?: Record<string, unknown>;
}

export interface Python {
  environment: NodeJS.ProcessEnv;
  call(call: Call): Promise<Outcome>;
  process: ChildProcess;
}

const isMissing = spawnSync('python3', ['--version']).status !== 0;
export const skip = isMissing ? 'python3 is not on this machine, so this could not be run' : false;
/** A python3 that does one call at a time; nothing of this process's environment but the path, so no proxy either. */
export function startPython(environment: Record<string, string>, cwd = root): Python {
  const env = {
    PATH: process.env['PATH'] ?? '',
    PYTHONPATH: join(root, 'clients/python'),
    PYTHONDONTWRITEBYTECODE: '1',
    ...environment,
  };
  const child = spawn('python3', [join(root, 'test/client/drive.py')], {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    process: child,
    environment: env,
    async call(call) {
      child.stdin.write(`${JSON.stringify(call)}\n`);
      const { value, done } = await lines.next();
      assert.ok(done !== true, 'python3 has ended');
      return JSON.parse(value) as Outcome;
    },
  };
}

export async function stopPython({ process: child }: Python): Promise<void> {
  child.stdin?.end();
  if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve));
}
