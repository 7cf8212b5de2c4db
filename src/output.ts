// Standard output of the service. The service never waits for it and never ends because of it: if the disk of a log file is full,
// nobody reads the pipe, or the terminal is paused, text is lost instead.
import { write, writeSync } from 'node:fs';

export type Output = ReturnType<typeof createOutput>;

/** The file descriptor. */
const stdout = 1;
const maxWaitingCharacters = 1024 * 1024;
/** Before another attempt at a pipe that is full and was opened by its reader so that writes do not block. */
const retryMs = 50;

export function createOutput() {
  let waiting: string[] = [];
  let waitingCharacters = 0;
  let isWriting = false;

  function writeNext(): void {
    isWriting = waiting.length > 0;
    if (isWriting) writeAll(drain());
  }

  function drain(): Buffer {
    const bytes = Buffer.from(waiting.join(''));
    waiting = [];
    waitingCharacters = 0;
    return bytes;
  }

  function writeAll(bytes: Buffer): void {
    write(stdout, bytes, (error, written) => {
      if (error?.code === 'EAGAIN') setTimeout(() => writeAll(bytes), retryMs).unref();
      // After any other error these bytes are lost; the next ones may succeed.
      else if (!error && written < bytes.length) writeAll(bytes.subarray(written));
      else writeNext();
    });
  }

  // Node finishes the write that is under way, but starts no other.
  process.once('exit', () => {
    try {
      writeSync(stdout, drain());
    } catch {
      // Lost, as above.
    }
  });

  return {
    /** A person reads along, and no program does. */
    isTerminal: process.stdout.isTTY,
    write(text: string): void {
      if (waitingCharacters + text.length > maxWaitingCharacters) return;
      waiting.push(text);
      waitingCharacters += text.length;
      if (!isWriting) writeNext();
    },
  };
}
