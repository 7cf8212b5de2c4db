// Reads the browser's messages from the debugging pipe: JSON texts that end with a NUL byte.
import type { Readable } from 'node:stream';

export interface MessageSinks {
  onMessage(text: string): void;
  onTooLarge(): void;
}

// A longer message was not requested and would only exhaust our memory.
const maxMessageBytes = 400 * 1024 * 1024;

export function readMessages(output: Readable, { onMessage, onTooLarge }: MessageSinks): void {
  let chunks: Buffer[] = [];
  let size = 0;

  function keep(chunk: Buffer): void {
    chunks.push(chunk);
    size += chunk.length;
  }

  function takeAll(): string {
    const text = chunks.length === 1 ? chunks[0]!.toString() : Buffer.concat(chunks).toString();
    chunks = [];
    size = 0;
    return text;
  }

  output.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let stop = chunk.indexOf(0); stop !== -1; stop = chunk.indexOf(0, start)) {
      keep(chunk.subarray(start, stop));
      onMessage(takeAll());
      start = stop + 1;
    }
    if (start < chunk.length) keep(chunk.subarray(start));
    if (size <= maxMessageBytes) return;
    chunks = [];
    output.destroy();
    onTooLarge();
  });
}
