// One end of the connection between the service and a worker. A line that is longer than any of our own breaks it.
import type { Readable, Writable } from 'node:stream';

const lineLimitCharacters = 1024 * 1024;

/** Returns how to send. */
export function openChannel(
  input: Readable,
  output: Writable,
  { onMessage, onBroken }: { onMessage: (message: unknown) => void; onBroken: (reason: string) => void },
): (message: object) => void {
  let rest = '';
  input.setEncoding('utf8');
  input.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    if (rest.length > lineLimitCharacters) return onBroken('a message is too long');
    try {
      for (const line of lines) onMessage(JSON.parse(line));
    } catch (error) {
      onBroken(`a message was not understood: ${String(error)}`);
    }
  });
  input.on('error', (error) => onBroken(error.message));
  input.on('close', () => onBroken('the other end is closed'));
  output.on('error', (error) => onBroken(error.message));
  return (message) => {
    if (output.writable) output.write(`${JSON.stringify(message)}\n`);
  };
}
