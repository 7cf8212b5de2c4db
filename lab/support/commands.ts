// Many `npx tintype` commands in one child process: each as bin/tintype.js runs it, without the half second that a start takes.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { runCli } from '#roof/cli.ts';
import { compileCache, type Ended } from '#lab/support/processes.ts';

export interface Commands {
  /** Run one after the other, in the order of the calls. */
  run(args: string[]): Promise<Ended>;
  close(): void;
}

export function startCommands(environment: Record<string, string>): Commands {
  const child = spawn(process.execPath, [import.meta.filename], {
    env: { PATH: process.env['PATH'] ?? '', ...compileCache, ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const waiting: ((ended: Ended) => void)[] = [];
  createInterface(child.stdout).on('line', (line) => waiting.shift()?.(JSON.parse(line) as Ended));
  return {
    run(args) {
      const { promise, resolve } = Promise.withResolvers<Ended>();
      waiting.push(resolve);
      child.stdin.write(`${JSON.stringify(args)}\n`);
      return promise;
    },
    close: () => child.stdin.end(),
  };
}

if (import.meta.main) {
  const answer = process.stdout.write.bind(process.stdout);
  for await (const line of createInterface(process.stdin)) {
    const ended: Ended = { code: 0, stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      process[name].write = (text: string | Uint8Array): boolean => {
        ended[name] += String(text);
        return true;
      };
    }
    ended.code = await runCli(JSON.parse(line) as string[]);
    answer(`${JSON.stringify(ended)}\n`);
  }
}
