// Ends a browser whose service was killed. Chromium exits when its pipe is closed, but not if it is too busy to notice: a page that
// floods it would keep it running, and growing, until the machine has no memory left.
import { spawn } from 'node:child_process';
import type { Log } from '#browser/browser.ts';

/**
 * Starts a shell that waits for the end of its standard input, which this process holds, and then kills the browser's process
 * group. Call the result when the browser has ended: its id may be given to another process.
 */
export function endWithService(browserPid: number, log?: Log): () => void {
  const shell = spawn('/bin/sh', ['-c', 'read -r _; kill -s KILL -- "-$0"', String(browserPid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Its own session: signals of the terminal are for the service.
    detached: true,
    env: {},
  });
  shell.on('error', (error) =>
    log?.warn({ err: error }, 'nothing ends the browser if the service is killed'),
  );
  shell.unref();
  return () => {
    shell.kill('SIGKILL');
  };
}
