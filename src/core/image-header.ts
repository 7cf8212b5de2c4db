// Reads the pixel size of a PNG, JPEG or WebP from its first bytes. Truncated bytes throw a RangeError; bytes that are no valid
// header return undefined.

export interface Dimensions {
  width: number;
  height: number;
}

export function readPng(bytes: Buffer): Dimensions | undefined {
  // Apple's variant has a CgBI chunk before the header chunk.
  const header = bytes.toString('latin1', 12, 16) === 'CgBI' ? 28 : 12;
  if (bytes.toString('latin1', header, header + 4) !== 'IHDR') return undefined;
  return { width: bytes.readUInt32BE(header + 4), height: bytes.readUInt32BE(header + 8) };
}

/**
 * Reads the size of a picture piece by piece. For each piece it returns the size, null if there is none, or where the next piece should
 * begin, counted from the start of this one. The last piece ends with the picture.
 */
export type SizeWalk = (piece: Buffer, isLast: boolean) => Dimensions | null | number;

/** Every step of a walk is possible in a piece of this size. */
export const walkedBytes = 256 * 1024;
/** No picture has more parts before its pixels. */
const maxParts = 10_000;
/** As much of the EXIF metadata of a PNG is searched; a JPEG's is never longer. */
const exifBytes = 64 * 1024;

/** As browsers show it: turned by the EXIF metadata before its pixels. */
export function walkPng(): SizeWalk {
  let [size, parts] = [undefined as Dimensions | undefined, 0];
  return (bytes, isLast) => {
    let offset = size ? 0 : 8;
    size ??= readPng(bytes);
    if (!size) return null;
    for (; offset + 8 <= bytes.length; parts += 1) {
      if (parts === maxParts) return size;
      const length = bytes.readUInt32BE(offset);
      const type = bytes.toString('latin1', offset + 4, offset + 8);
      if (type === 'IDAT') return size;
      if (type === 'eXIf') {
        if (!isLast && offset + 8 + Math.min(length, exifBytes) > bytes.length) return offset;
        if (orientationOf(bytes.subarray(offset + 8, offset + 8 + length)) >= 5)
          return { width: size.height, height: size.width };
      }
      offset += 12 + length;
    }
    return isLast ? size : offset;
  };
}

export function readWebp(bytes: Buffer): Dimensions | undefined {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      if (bytes.readUInt8(20) !== 0x2f) return undefined;
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ':
      if (bytes.readUIntBE(23, 3) !== 0x9d012a) return undefined;
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    default:
      return undefined;
  }
}

export function readJpeg(bytes: Buffer): Dimensions | undefined {
  const size = walkJpeg()(bytes, true);
  return typeof size === 'number' ? undefined : (size ?? undefined);
}

/** Walks the segments to the start of frame. Each step moves forward, so the walk ends with the picture. */
export function walkJpeg(): SizeWalk {
  let [isFirst, turned, parts] = [true, false, 0];
  return (bytes, isLast) => {
    let offset = isFirst ? 2 : 0;
    isFirst = false;
    for (; offset < bytes.length; parts += 1) {
      if (parts === maxParts) return null;
      if (!isLast && offset + frameHeadBytes > bytes.length) return offset;
      if (bytes.readUInt8(offset) !== 0xff) return null;
      const marker = bytes.readUInt8(offset + 1);
      if (marker === 0xff) {
        offset += 1;
        continue;
      }
      const isFrame =
        marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
      if (isFrame) {
        const [height, width] = [bytes.readUInt16BE(offset + 5), bytes.readUInt16BE(offset + 7)];
        return turned ? { width: height, height: width } : { width, height };
      }
      const isBare = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
      if (marker === 0xd9 || marker === 0xda) return null;
      const end = offset + 2 + (isBare ? 0 : bytes.readUInt16BE(offset + 2));
      if (marker === 0xe1) {
        if (!isLast && end > bytes.length) return offset;
        turned ||= isTurned(bytes.subarray(offset + 4, end));
      }
      offset = end;
    }
    return isLast ? null : offset;
  };
}

/** Of a frame, with its size. */
const frameHeadBytes = 9;

/** EXIF orientations 5 to 8 swap width and height. */
function isTurned(segment: Buffer): boolean {
  return segment.toString('latin1', 0, 6) === 'Exif\0\0' && orientationOf(segment.subarray(6)) >= 5;
}

/** The orientation in EXIF metadata, from 1 to 8; 0 if there is none. Takes the TIFF header and what follows. */
export function orientationOf(tiff: Buffer): number {
  if (tiff.length < 8) return 0;
  const little = tiff.toString('latin1', 0, 2) === 'II';
  const short = (at: number): number =>
    at + 2 > tiff.length ? 0 : little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at);
  const directory = little ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  const entries = short(directory);
  for (let entry = 0; entry < entries; entry += 1) {
    const at = directory + 2 + entry * 12;
    if (at + 12 > tiff.length) return 0;
    if (short(at) === 0x0112) return short(at + 8) <= 8 ? short(at + 8) : 0;
  }
  return 0;
}
