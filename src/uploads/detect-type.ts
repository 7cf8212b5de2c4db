// Detects the type of an upload from its first bytes, never from its name or declared type. Spec 2.1, 4.1.
import { ServiceError } from '#core/errors.ts';
import type { ImageType } from '#uploads/image-types.ts';
import { firstElementName, sniffEncoding } from '#uploads/svg/decode-xml.ts';

/** The number of first bytes that detection may need; a shorter file has fewer. */
export const detectionBytes = 4096;

/**
 * `markup` is a document whose first element is `svg`, or comes after these bytes: the SVG sanitizer decides what it is. Every other
 * result is final.
 */
export type DetectedType = Exclude<ImageType, 'image/svg+xml'> | 'markup';

export function detectType(head: Buffer): DetectedType | undefined {
  for (const { type, matches } of signatures) {
    if (matches(head)) return type;
  }
  return mayBeSvg(head) ? 'markup' : undefined;
}

export const unsupportedType = (field = 'file'): ServiceError =>
  new ServiceError('unsupported_type', 'its content is not a PNG, JPEG, GIF, WebP, SVG or AVIF', {
    details: { field },
  });

export const emptyFile = (field = 'file'): ServiceError =>
  new ServiceError('unsupported_type', 'it is empty', { details: { field } });

const signatures: { type: Exclude<DetectedType, 'markup'>; matches: (head: Buffer) => boolean }[] = [
  { type: 'image/png', matches: (head) => hasBytes(head, 0, '\x89PNG\r\n\x1a\n') },
  { type: 'image/jpeg', matches: (head) => hasBytes(head, 0, '\xff\xd8\xff') },
  { type: 'image/gif', matches: (head) => hasBytes(head, 0, 'GIF87a') || hasBytes(head, 0, 'GIF89a') },
  { type: 'image/webp', matches: hasWebpPicture },
  { type: 'image/avif', matches: hasAvifBrand },
];

function hasBytes(head: Buffer, offset: number, signature: string): boolean {
  return head.toString('latin1', offset, offset + signature.length) === signature;
}

/** The first chunk of a WebP is one of three; a container without one holds no image. RFC 9649 section 2. */
function hasWebpPicture(head: Buffer): boolean {
  return (
    hasBytes(head, 0, 'RIFF') &&
    hasBytes(head, 8, 'WEBP') &&
    ['VP8 ', 'VP8L', 'VP8X'].includes(head.toString('latin1', 12, 16))
  );
}

/**
 * The file type box lists a major brand, a version and compatible brands; AVIF may be in either place (`mif1` is a common major
 * brand). HEIC, MP4 and MOV are the same container with other brands. ISO/IEC 14496-12 4.2, 4.3, AVIF 1.1 section 6.
 * A size of 1 means that the size is in the next eight bytes; a size of 0 means that the box fills the file and no image follows.
 */
function hasAvifBrand(head: Buffer): boolean {
  if (head.length < 16 || !hasBytes(head, 4, 'ftyp')) return false;
  const isLarge = head.readUInt32BE(0) === 1;
  const size = isLarge ? Number(head.readBigUInt64BE(8)) : head.readUInt32BE(0);
  const major = isLarge ? 16 : 8;
  const end = Math.min(size, head.length);
  for (let offset = major; offset + 4 <= end; offset += offset === major ? 8 : 4) {
    if (hasBytes(head, offset, 'avif') || hasBytes(head, offset, 'avis')) return true;
  }
  return false;
}

function mayBeSvg(head: Buffer): boolean {
  const text = readableText(head);
  const isCut = head.length >= detectionBytes;
  // XML's white space. A tool may have written any amount of it.
  const start = /[^ \t\r\n]/.exec(text)?.[0];
  if (start === undefined) return isCut;
  if (start !== '<') return false;
  const name = firstElementName(text);
  if (name === undefined) return isCut;
  return name.slice(name.indexOf(':') + 1) === 'svg' || (isCut && text.endsWith(name));
}

/** Names and markup are ASCII here, and every encoding with units of one byte contains ASCII. */
function readableText(head: Buffer): string {
  const { unitBytes, bigEndian, bomBytes } = sniffEncoding(head);
  if (unitBytes === 1) return head.toString('latin1', bomBytes);
  return new TextDecoder(bigEndian ? 'utf-16be' : 'utf-16le').decode(head);
}
