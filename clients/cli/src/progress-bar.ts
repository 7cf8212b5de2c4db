// A progress bar on stderr, if that is a terminal.
import type { Waiting } from '../../library/src/run-all.ts';
import type { Progress } from '../../library/src/upload-batch.ts';
import { isQuiet, remark } from '../../shared/src/terminal.ts';

const width = 24;
const betweenMs = 80;

interface ProgressBar {
  show(progress: Progress): void;
  /** Clears the line. */
  clear(): void;
}

export function createProgressBar(stream: NodeJS.WriteStream = process.stderr): ProgressBar | undefined {
  if (!stream.isTTY || isQuiet()) return undefined;
  let lastAt = 0;
  return {
    show(progress) {
      const isDone = progress.sentBytes === progress.totalBytes;
      if (!isDone && Date.now() - lastAt < betweenMs) return;
      lastAt = Date.now();
      stream.write(`\r\u001B[K${barOf(progress)}`);
    },
    clear() {
      if (lastAt > 0) stream.write('\r\u001B[K');
    },
  };
}

/** For a run: how many are done, how fast, and what it waits for. Without a terminal, long waits are printed as lines. */
export function createCountBar(total: number, stream: NodeJS.WriteStream = process.stderr, now = Date.now) {
  const startedAt = now();
  let done = 0;
  const draw = (waiting: string): void => {
    if (stream.isTTY && !isQuiet())
      stream.write(`\r\u001B[K${countBarOf(done, total, (now() - startedAt) / 1000)}${waiting}`);
  };
  return {
    show(count: number): void {
      done = count;
      draw('');
    },
    wait(waiting: Waiting): void {
      const what = `waiting ${waiting.seconds} s for ${waiting.for === 'room' ? 'room for a render' : 'the request budget'}`;
      if (stream.isTTY) draw(`  ${what}`);
      else if (waiting.seconds >= 5) remark(`${done} of ${total} done; ${what}`);
    },
    clear(): void {
      if (stream.isTTY) stream.write('\r\u001B[K');
    },
  };
}

export const remarkWait = ({ seconds }: Waiting): void => {
  if (seconds >= 5) remark(`waiting ${seconds} s for the request budget`);
};

function countBarOf(done: number, total: number, seconds: number): string {
  const rate = seconds > 0 && done > 0 ? `  ${(done / seconds).toFixed(1)} a second` : '';
  return `${bars(total === 0 ? 1 : done / total)} ${done} of ${total}${rate}`;
}

export function barOf({ sentBytes, totalBytes }: Progress): string {
  if (totalBytes === undefined) return sizeOf(sentBytes);
  const part = totalBytes === 0 ? 1 : sentBytes / totalBytes;
  return `${bars(part)} ${Math.floor(part * 100)} %  ${sizeOf(sentBytes)} of ${sizeOf(totalBytes)}`;
}

function bars(part: number): string {
  const filled = Math.round(part * width);
  return '█'.repeat(filled) + '░'.repeat(width - filled);
}

export const sizeOf = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
