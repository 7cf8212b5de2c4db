// A bar on stderr while somebody watches it; nothing where nobody does.
import type { Progress } from '../../library/src/upload-batch.ts';

const width = 24;
const betweenMs = 80;

export interface ProgressBar {
  show(progress: Progress): void;
  /** Leaves the line empty. */
  clear(): void;
}

export function createProgressBar(stream: NodeJS.WriteStream = process.stderr): ProgressBar | undefined {
  if (!stream.isTTY) return undefined;
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

export function barOf({ sentBytes, totalBytes }: Progress): string {
  if (totalBytes === undefined) return `${megabytes(sentBytes)} MB`;
  const part = totalBytes === 0 ? 1 : sentBytes / totalBytes;
  const filled = Math.round(part * width);
  const bar = '█'.repeat(filled) + '░'.repeat(width - filled);
  return `${bar} ${Math.floor(part * 100)} %  ${megabytes(sentBytes)} of ${megabytes(totalBytes)} MB`;
}

const megabytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1);
