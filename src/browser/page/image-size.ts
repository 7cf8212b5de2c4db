// Reads the size of an encoded picture from its own bytes, and so proves that there is one: Chromium has been seen to
// answer an empty text without an error. Design section 5 (capture).
import type { ScreenshotFormat } from '#browser/browser.ts';

export interface ImageSize {
  width: number;
  height: number;
}

/** Null when the bytes are not a whole picture of that format. */
export function imageSize(bytes: Buffer, format: ScreenshotFormat): ImageSize | null {
  return readers[format](bytes);
}

const readers: Record<ScreenshotFormat, (bytes: Buffer) => ImageSize | null> = { png, jpeg, webp };

function png(bytes: Buffer): ImageSize | null {
  const isWhole =
    bytes.length > 45 &&
    bytes.toString('latin1', 0, 16) === '\x89PNG\r\n\x1a\n\0\0\0\rIHDR' &&
    bytes.toString('latin1', bytes.length - 8, bytes.length - 4) === 'IEND';
  return isWhole ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) } : null;
}

function jpeg(bytes: Buffer): ImageSize | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8 || bytes.readUInt16BE(bytes.length - 2) !== 0xffd9)
    return null;
  for (let offset = 2; offset + 9 < bytes.length;) {
    if (bytes[offset] !== 0xff) return null;
    const marker = bytes[offset + 1]!;
    // Frame headers; 0xc4, 0xc8 and 0xcc share their range but mean something else.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { width: bytes.readUInt16BE(offset + 7), height: bytes.readUInt16BE(offset + 5) };
    }
    offset += 2 + bytes.readUInt16BE(offset + 2);
  }
  return null;
}

function webp(bytes: Buffer): ImageSize | null {
  if (
    bytes.length < 30 ||
    bytes.toString('latin1', 0, 4) !== 'RIFF' ||
    bytes.toString('latin1', 8, 12) !== 'WEBP'
  )
    return null;
  if (bytes.readUInt32LE(4) + 8 > bytes.length) return null;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return null;
  }
}
