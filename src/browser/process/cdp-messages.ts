// Takes the browser's messages off the debugging pipe: JSON texts that end with a NUL byte. A picture is one string of base64 of up
// to 130 MB inside such a text; it is decoded as it comes in, since to parse it in one piece would hold the process for a second.
import type { Readable } from 'node:stream';

export interface MessageSinks {
  onMessage(text: string): void;
  /**
   * Asked when the answer to this call begins with a picture: how many bytes are wanted of it? Zero: nobody waits any more.
   * Undefined: it is wanted as text, like any message.
   */
  wantedBytes(callId: number): number | undefined;
  /** `undefined`: there were more bytes than wanted. */
  onBytes(callId: number, bytes: Buffer | undefined): void;
  onTooLarge(): void;
}

// Beyond this a message is none that was asked for but an attack on our memory.
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
  /** Base64 comes in fours; what is left of one waits for the next chunk. */
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
