// Reads the browser's messages from the debugging pipe: JSON texts that end with a NUL byte. A picture is one base64 string of up
// to 130 MB in such a text; it is decoded as it arrives, because parsing it in one piece would block the process for a second.
import type { Readable } from 'node:stream';

export interface MessageSinks {
  onMessage(text: string): void;
  /**
   * Called when the answer to this call begins with a picture. Returns how many of its bytes to accept. Zero: the caller no
   * longer waits. Undefined: read it as text, like any other message.
   */
  wantedBytes(callId: number): number | undefined;
  /** `undefined`: there were more bytes than accepted. */
  onBytes(callId: number, bytes: Buffer | undefined): void;
  onTooLarge(): void;
}

// A longer message was not requested and would only exhaust our memory.
const messageLimitBytes = 400 * 1024 * 1024;
// As Chromium writes the answer to Page.captureScreenshot.
const pictureHead = /^\{"id":(\d{1,15}),"result":\{"data":"/;
const headBytes = 64;
const quote = 0x22;

export function readMessages(output: Readable, sinks: MessageSinks): void {
  let chunks: Buffer[] = [];
  let size = 0;
  let isJudged = false;
  let picture: Picture | undefined;

  function take(chunk: Buffer): void {
    if (picture) return picture.take(chunk);
    chunks.push(chunk);
    size += chunk.length;
    if (isJudged || size < headBytes) return;
    isJudged = true;
    const lead = Buffer.concat(chunks);
    picture = pictureOf(lead, sinks);
    if (!picture) return;
    picture.take(lead);
    chunks = [];
    size = 0;
  }

  function end(): void {
    if (picture) picture.end();
    else sinks.onMessage(chunks.length === 1 ? chunks[0]!.toString() : Buffer.concat(chunks).toString());
    chunks = [];
    size = 0;
    isJudged = false;
    picture = undefined;
  }

  output.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let stop = chunk.indexOf(0); stop !== -1; stop = chunk.indexOf(0, start)) {
      if (stop > start) take(chunk.subarray(start, stop));
      end();
      start = stop + 1;
    }
    if (start < chunk.length) take(chunk.subarray(start));
    if (size <= messageLimitBytes) return;
    chunks = [];
    output.destroy();
    sinks.onTooLarge();
  });
}

interface Picture {
  take(chunk: Buffer): void;
  end(): void;
}

/** Undefined for every other message. */
function pictureOf(first: Buffer, sinks: MessageSinks): Picture | undefined {
  const [head, idText] = pictureHead.exec(first.toString('latin1', 0, headBytes)) ?? [];
  if (head === undefined) return undefined;
  const callId = Number(idText);
  const mostBytes = sinks.wantedBytes(callId);
  if (mostBytes === undefined) return undefined;
  const decoded: Buffer[] = [];
  let size = 0;
  let toSkip = head.length;
  /** Base64 is decoded in groups of four; the rest of a chunk waits for the next chunk. */
  let rest = '';
  let isWhole = false;

  return {
    take(chunk) {
      const text = chunk.subarray(toSkip);
      toSkip = 0;
      if (isWhole || size > mostBytes) return;
      const stop = text.indexOf(quote);
      isWhole = stop !== -1;
      rest += text.toString('latin1', 0, isWhole ? stop : text.length);
      const usable = isWhole ? rest.length : rest.length - (rest.length % 4);
      const bytes = Buffer.from(rest.slice(0, usable), 'base64');
      rest = rest.slice(usable);
      size += bytes.length;
      if (size <= mostBytes) decoded.push(bytes);
      else decoded.length = 0;
    },
    end() {
      sinks.onBytes(callId, size > mostBytes ? undefined : Buffer.concat(decoded));
    },
  };
}
