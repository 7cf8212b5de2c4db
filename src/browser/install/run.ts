// Runs a program of the system to its end, within a time limit, and never longer than this process lives.
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface RunOptions {
  environment: Record<string, string>;
  timeoutMs: number;
  /** Called with each line of its output, as it comes. */
  onLine?: (line: string) => void;
}

const keptErrorBytes = 4096;

/** Returns its standard output; rejects with the error that it printed. */
export async function run(
  program: string,
  args: string[],
  { environment, timeoutMs, onLine }: RunOptions,
  options: SpawnOptions = {},
): Promise<string> {
  const child: ChildProcess = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
    env: environment,
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  let output = '';
  let errors = '';
  createInterface({ input: child.stdout! }).on('line', (line) => {
    output += `${line}\n`;
    onLine?.(line);
  });
  child.stderr!.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-keptErrorBytes);
  });
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject);
  child.once('close', resolve);
  const code = await promise;
  if (code === 0) return output;
  throw new Error(
    code === null
      ? `it took longer than ${timeoutMs / 1_000} s`
      : (reasonIn(errors) ?? `it ended with ${code}`),
  );
}

// What begins an error of Node's programs, of apt, and of npm from its tenth version and before.
const errorStarts = ['Error: ', 'E: ', 'npm error code ', 'npm ERR! code '];

/** The first line that contains an error, without what it starts with; otherwise the last line. */
function reasonIn(errors: string): string | undefined {
  const lines = errors.split('\n').map((line) => line.trim());
  for (const line of lines) {
    const start = errorStarts.find((known) => line.startsWith(known));
    if (start !== undefined) return line.slice(start.length);
  }
  return lines.findLast((line) => line !== '');
}
