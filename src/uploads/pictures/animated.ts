// Whether a picture moves, read from its structure before anything is decoded: animations are served as they are.
import type { DetectedType } from '#uploads/detect-type.ts';

/** Bytes that are no valid picture do not move. */
export function isAnimated(type: DetectedType, bytes: Buffer): boolean {
  try {
    return readers[type](bytes);
  } catch (error) {
    // Lengths lead past the end.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

const readers: Record<DetectedType, (bytes: Buffer) => boolean> = {
  'image/jpeg': () => false,
  markup: () => false,
  'image/png': hasAnimationChunk,
  'image/webp': (bytes) => bytes.toString('latin1', 12, 16) === 'VP8X' && (bytes.readUInt8(20) & 0x02) !== 0,
  'image/gif': hasSecondFrame,
  'image/avif': hasFilm,
};

/** It comes before the picture. PNG 3 section 11.3.6. */
function hasAnimationChunk(bytes: Buffer): boolean {
  for (let at = 8; ; at += 12 + bytes.readUInt32BE(at)) {
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (type === 'acTL' || type === 'IDAT') return type === 'acTL';
  }
}

function hasSecondFrame(bytes: Buffer): boolean {
  const tableBytes = (packed: number): number => ((packed & 0x80) === 0 ? 0 : 3 * 2 ** ((packed & 7) + 1));
  let frames = 0;
  for (let at = 13 + tableBytes(bytes.readUInt8(10)); ;) {
    const block = bytes.readUInt8(at);
    if (block === 0x2c) frames += 1;
    else if (block !== 0x21) return false;
    if (frames === 2) return true;
    at += block === 0x2c ? 11 + tableBytes(bytes.readUInt8(at + 9)) : 2;
    for (let length = -1; length !== 0; at += length + 1) length = bytes.readUInt8(at);
  }
}

/** A sequence has its frames in a box that a single picture does not have. */
function hasFilm(bytes: Buffer): boolean {
  for (let at = 0; ;) {
    const size = bytes.readUInt32BE(at);
    if (bytes.toString('latin1', at + 4, at + 8) === 'moov') return true;
    const step = size === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : size;
    if (step < 8) return false;
    at += step;
  }
}
