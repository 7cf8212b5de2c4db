// Messages between the service and the process that decodes pictures: a letter, a length and that many bytes. Neither end trusts the
// other's lengths.
import type { Readable } from 'node:stream';

/** What the service sends: a job, and then the picture. */
export interface PictureJob {
  width: number | undefined;
  format: 'webp' | 'jpeg' | 'png';
  /** An SVG is drawn in this width, or less if it is higher than wide; other jobs refuse one. */
  isDrawing?: boolean;
}

/**
 * `ready` once; then for each job the variant, that the original is to be shown, or why there is none: `refused` for this variant,
 * `unreadable` for any.
 */
const letters = {
  job: 'j',
  picture: 'p',
  ready: 'r',
  made: 'm',
  original: 'o',
  refused: 'v',
  unreadable: 'u',
} as const;
export type FrameKind = keyof typeof letters;

const headBytes = 5;

export function frameHead(kind: FrameKind, length: number): Buffer {
  const head = Buffer.alloc(headBytes);
  head.write(letters[kind], 'latin1');
  head.writeUInt32BE(length, 1);
  return head;
}

/** Calls back for each frame; a longer one than `maxBytes`, or none at all, breaks the connection. */
export function readFrames(
  input: Readable,
  maxBytes: number,
  {
    onFrame,
    onBroken,
  }: { onFrame: (kind: FrameKind, data: Buffer) => void; onBroken: (reason: string) => void },
): void {
  let [chunks, waitingBytes, neededBytes] = [[] as Buffer[], 0, headBytes];
  input.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    waitingBytes += chunk.length;
    while (waitingBytes >= neededBytes) {
      const joined = Buffer.concat(chunks);
      const length = joined.readUInt32BE(1);
      const kind = kindOf(joined.toString('latin1', 0, 1));
      if (kind === undefined || length > maxBytes) return onBroken('a frame is not as agreed');
      neededBytes = headBytes + length;
      if (joined.length >= neededBytes) {
        onFrame(kind, joined.subarray(headBytes, neededBytes));
        [chunks, waitingBytes] = [[joined.subarray(neededBytes)], joined.length - neededBytes];
        neededBytes = headBytes;
      } else chunks = [joined];
    }
  });
  input.on('error', (error) => onBroken(error.message));
  input.on('close', () => onBroken('the other end is closed'));
}

const kindOf = (letter: string): FrameKind | undefined =>
  (Object.keys(letters) as FrameKind[]).find((kind) => letters[kind] === letter);
