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

/** No picture has more parts before its pixels. */
const maxParts = 10_000;

/** As browsers show it: turned by the EXIF metadata before its pixels. Undefined if the pixels come after these bytes. */
export function readTurnedPng(bytes: Buffer, isWhole: boolean): Dimensions | undefined {
  const size = readPng(bytes);
  if (!size) return undefined;
  for (let [offset, parts] = [8, 0]; offset + 8 <= bytes.length; parts += 1) {
    const length = bytes.readUInt32BE(offset);
    const type = bytes.toString('latin1', offset + 4, offset + 8);
    const end = offset + 8 + length;
    if (type === 'IDAT' || parts === maxParts) return size;
    if (type === 'eXIf' && (isWhole || end <= bytes.length)) {
      if (orientationOf(bytes.subarray(offset + 8, end)) >= 5)
        return { width: size.height, height: size.width };
    }
    offset = end + 4;
  }
  return isWhole ? size : undefined;
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

/** Walks the segments to the start of frame. Each step moves forward, so the walk ends with the picture. */
export function readJpeg(bytes: Buffer): Dimensions | undefined {
  let [turned, offset] = [false, 2];
  for (let parts = 0; offset < bytes.length && parts < maxParts; parts += 1) {
    if (bytes.readUInt8(offset) !== 0xff) return undefined;
    const marker = bytes.readUInt8(offset + 1);
    if (marker === 0xff) {
      offset += 1;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) {
      const [height, width] = [bytes.readUInt16BE(offset + 5), bytes.readUInt16BE(offset + 7)];
      return turned ? { width: height, height: width } : { width, height };
    }
    const isBare = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
    if (marker === 0xd9 || marker === 0xda) return undefined;
    const end = offset + 2 + (isBare ? 0 : bytes.readUInt16BE(offset + 2));
    if (marker === 0xe1) turned ||= isTurned(bytes.subarray(offset + 4, end));
    offset = end;
  }
  return undefined;
}

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
