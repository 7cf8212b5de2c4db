// One end of the connection between the service and a worker. A line that is longer than any of our own breaks it.
import type { Readable, Writable } from 'node:stream';

interface ChannelOptions {
  /** The length of a line that comes in. */
  maxCharacters: number;
  onMessage: (message: unknown) => void;
  onBroken: (reason: string) => void;
}

/** A worker is trusted less than the service: it sends receipts, which are small. */
export const fromWorkerCharacters = 1024 ** 2;
/** A request of 8 MB, of which only a large document is handed over as a file. */
export const toWorkerCharacters = 16 * 1024 ** 2;

/** Returns how to send. */
export function openChannel(
  input: Readable,
  output: Writable,
  { maxCharacters, onMessage, onBroken }: ChannelOptions,
): (message: object) => void {
  // Pieces of the line that has not ended: joined once, because joining them with each piece would take quadratic time.
  let pieces: string[] = [];
  let characters = 0;
  input.setEncoding('utf8');
  input.on('data', (text: string) => {
    const [first, ...further] = text.split('\n');
    pieces.push(first!);
    characters += first!.length;
    if (further.length > 0) {
      const lines = [pieces.join(''), ...further];
      pieces = [lines.pop()!];
      characters = pieces[0]!.length;
      try {
        for (const line of lines) onMessage(JSON.parse(line));
      } catch (error) {
        onBroken(`a message was not understood: ${String(error)}`);
      }
    }
    if (characters > maxCharacters) onBroken('a message is too long');
  });
  input.on('error', (error) => onBroken(error.message));
  input.on('close', () => onBroken('the other end is closed'));
  output.on('error', (error) => onBroken(error.message));
  return (message) => {
    if (output.writable) output.write(`${JSON.stringify(message)}\n`);
  };
}
