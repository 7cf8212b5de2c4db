// `npx tintype` commands in one child process for all tests of a process: each as bin/tintype.js runs it, without the half second that a
// start takes.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { runCli } from '#roof/cli.ts';
import { compileCache, type Ended } from '#test/support/processes.ts';
import { shared } from '#test/support/shared.ts';

interface Call {
  args: string[];
  environment: Record<string, string>;
  /** As if stdout and stderr were a terminal. */
  isTerminal: boolean;
}

/** Runs one command to its end, after those that were called before it. */
export async function command(
  args: string[],
  environment: Record<string, string> = {},
  { isTerminal = false } = {},
): Promise<Ended> {
  return (await runner()).run({ args, environment, isTerminal });
}

const runner = shared(
  () => Promise.resolve(startRunner()),
  (running) => running.stop(),
);

function startRunner() {
  const child = spawn(process.execPath, [import.meta.filename], {
    env: { PATH: process.env['PATH'] ?? '', ...compileCache },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const waiting: PromiseWithResolvers<Ended>[] = [];
  createInterface(child.stdout).on('line', (line) => waiting.shift()?.resolve(JSON.parse(line) as Ended));
  const { promise: ended, resolve: onEnd } = Promise.withResolvers<void>();
  child.on('close', (code) => {
    for (const { reject } of waiting) reject(new Error(`the process of the commands ended with ${code}`));
    onEnd();
  });
  return {
    run(call: Call): Promise<Ended> {
      const answer = Promise.withResolvers<Ended>();
      waiting.push(answer);
      child.stdin.write(`${JSON.stringify(call)}\n`);
      return answer.promise;
    },
    stop(): Promise<void> {
      child.stdin.end();
      return ended;
    },
  };
}

if (import.meta.main) {
  // Each command listens for the end of its process, and here they have one process.
  process.setMaxListeners(0);
  const answer = process.stdout.write.bind(process.stdout);
  for await (const line of createInterface(process.stdin)) {
    const { args, environment, isTerminal } = JSON.parse(line) as Call;
    const ended: Ended = { code: 0, stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      process[name].write = (text: string | Uint8Array): boolean => {
        ended[name] += String(text);
        return true;
      };
      process[name].isTTY = isTerminal;
    }
    Object.assign(process.env, environment);
    ended.code = await runCli(args);
    for (const name of Object.keys(environment)) delete process.env[name];
    answer(`${JSON.stringify(ended)}\n`);
  }
}
