// Filters a picture that an SVG holds as a data: address: a raster image stays as it is, an SVG is sanitized in its turn, and anything
// else is left out. Addresses are read as browsers read them (WHATWG Fetch, data: URL processor).
import { detectionBytes, detectType } from '#uploads/detect-type.ts';
import { imageMediaTypes } from '#uploads/svg/allow-list.ts';

/** Undefined if the SVG cannot be sanitized, or is too deep inside others. */
export type SanitizeEmbedded = (bytes: Buffer) => Buffer | undefined;

export function filterPicture(address: string, sanitizeEmbedded: SanitizeEmbedded): string | undefined {
  const comma = address.indexOf(',');
  if (comma < 0 || comma > 100 || !/^data:/i.test(address)) return undefined;
  const [type = '', ...parameters] = address
    .slice('data:'.length, comma)
    .split(';')
    .map((part) => part.trim().toLowerCase());
  const hash = address.indexOf('#', comma);
  const body = percentDecoded(address.slice(comma + 1, hash < 0 ? undefined : hash));
  if (parameters.at(-1) !== 'base64') return pictureOf(type, body, sanitizeEmbedded);
  const data = body.toString('latin1').replaceAll(/\s+/g, '');
  if (!/^[A-Za-z\d+/]*={0,2}$/.test(data)) return undefined;
  if (imageMediaTypes.has(type)) return `data:${type};base64,${data}`;
  return pictureOf(type, Buffer.from(data, 'base64'), sanitizeEmbedded);
}

function pictureOf(type: string, bytes: Buffer, sanitizeEmbedded: SanitizeEmbedded): string | undefined {
  if (type === 'image/svg+xml') {
    const svg = sanitizeEmbedded(bytes);
    return svg && base64Address(type, svg);
  }
  // Whatever its address says, a browser tells a raster image by its first bytes.
  const found = imageMediaTypes.has(type) ? type : detectType(bytes.subarray(0, detectionBytes));
  return found === undefined || found === 'markup' ? undefined : base64Address(found, bytes);
}

const base64Address = (type: string, bytes: Buffer): string =>
  `data:${type};base64,${bytes.toString('base64')}`;

function percentDecoded(text: string): Buffer {
  const bytes = Buffer.from(text);
  let end = bytes.indexOf('%');
  if (end < 0) return bytes;
  for (let at = end; at < bytes.length; end += 1) {
    const isEscape = bytes[at] === percent && isHex(bytes[at + 1]) && isHex(bytes[at + 2]);
    bytes[end] = isEscape ? Number.parseInt(bytes.toString('latin1', at + 1, at + 3), 16) : bytes[at]!;
    at += isEscape ? 3 : 1;
  }
  return bytes.subarray(0, end);
}

const percent = 0x25;
const isHex = (code: number | undefined): boolean =>
  code !== undefined && ((code >= 0x30 && code <= 0x39) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66));
