// A JPEG without metadata: its tables, frames and scans, the JFIF and Adobe segments and the colour profile. ITU-T T.81 annex B.
import { Unreadable } from '#cell/work.ts';
import {
  asText,
  asThumbnail,
  describeRest,
  harmless,
  startCleaning,
  type Cleaning,
  type Describe,
} from '#uploads/metadata/cleaning.ts';
import { describePhotoshop, describeXmp } from '#uploads/metadata/descriptions.ts';
import { describeExif, exifWithOrientation, turnOf } from '#uploads/metadata/exif.ts';

const marker = {
  tem: 0x01,
  soi: 0xd8,
  eoi: 0xd9,
  sos: 0xda,
  app0: 0xe0,
  app1: 0xe1,
  app2: 0xe2,
  app14: 0xee,
};
/** Without the thumbnail that may follow. */
const jfifBytes = 16;
const adobeBytes = 14;
const nearBytes = 16;

/** Segments that are removed, by the text that they begin with; any other is a text. */
const removed: [name: string, describe: Describe][] = [
  ['http://ns.adobe.com/xap/1.0/\0', describeXmp],
  ['http://ns.adobe.com/xmp/extension/\0', describeXmp],
  ['Photoshop 3.0\0', (block) => describePhotoshop(block.subarray('Photoshop 3.0\0'.length))],
  // The list of further pictures behind this one.
  ['MPF\0', asThumbnail],
  ['JFXX\0', asThumbnail],
  // The quality that Photoshop saved with.
  ['Ducky', harmless],
];

export function cleanJpeg(bytes: Buffer): Cleaning {
  const cleaning = startCleaning(bytes);
  let isTurnKept = false;
  cleaning.keep(0, 2);
  for (let at = 2; at < bytes.length;) {
    cleaning.count();
    if (bytes[at] !== 0xff) {
      // Decoders skip to the next marker.
      const next = bytes.indexOf(0xff, at);
      const end = next === -1 ? bytes.length : next;
      cleaning.drop(bytes.subarray(at, end), describeRest);
      at = end;
      continue;
    }
    const code = bytes[at + 1];
    if (code === marker.eoi) {
      cleaning.keep(at, at + 2);
      if (at + 2 < bytes.length) cleaning.drop(bytes.subarray(at + 2), describeRest);
      break;
    }
    if (code === undefined || isBare(code)) {
      // The last of several 0xff begins the marker.
      const end = at + (code === 0xff || code === undefined ? 1 : 2);
      cleaning.keep(at, end);
      at = end;
      continue;
    }
    const end = at + 2 + (at + 4 <= bytes.length ? bytes.readUInt16BE(at + 2) : 0);
    if (end < at + 4 || end > bytes.length) throw new Unreadable('ends within a segment');
    const data = bytes.subarray(at + 4, end);
    if (code === marker.sos) {
      const scanEnd = endOfScan(bytes, end);
      cleaning.keep(at, scanEnd);
      at = scanEnd;
      continue;
    }
    if (isOfPicture(code) || (code === marker.app2 && isNamed(data, 'ICC_PROFILE\0'))) cleaning.keep(at, end);
    else if (code === marker.app0 && isNamed(data, 'JFIF\0') && data.length >= jfifBytes - 2)
      cleaning.replace(at, end, [segment(marker.app0, data.subarray(0, 12), [0, 0])], asThumbnail);
    else if (code === marker.app14 && isNamed(data, 'Adobe') && data.length >= adobeBytes - 2)
      cleaning.replace(at, end, [segment(marker.app14, data.subarray(0, adobeBytes - 2))], asText);
    else if (code === marker.app1 && isNamed(data, 'Exif\0')) {
      const tiff = data.subarray(6);
      const turn: number | undefined = isTurnKept ? undefined : turnOf(tiff);
      isTurnKept ||= turn !== undefined;
      const kept =
        turn === undefined ? [] : [segment(marker.app1, Buffer.from('Exif\0\0'), exifWithOrientation(turn))];
      cleaning.replace(at, end, kept, (block) => describeExif(block.subarray(10)));
    } else {
      const [, describe = asText] = removed.find(([name]) => isNamed(data, name)) ?? [];
      cleaning.drop(data, describe);
    }
    at = end;
  }
  return cleaning.end();
}

const isBare = (code: number): boolean =>
  code === 0 || code === marker.tem || (code >= 0xd0 && code <= marker.soi) || code === 0xff;

/** Frames, tables, restart intervals and numbers of lines. */
const isOfPicture = (code: number): boolean => code >= 0xc0 && code <= 0xdf;

const isNamed = (data: Buffer, name: string): boolean => data.toString('latin1', 0, name.length) === name;

function segment(code: number, ...parts: (Buffer | number[])[]): Buffer {
  const data = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([Buffer.from([0xff, code, (data.length + 2) >> 8, (data.length + 2) & 0xff]), data]);
}

/** The next marker that is neither a zero after 0xff in the data nor a restart. A picture may end without one. */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = from; ; at += 2) {
    // The search for a byte is fast over long distances only, and a hostile picture has none.
    for (let ahead = 0; ahead < nearBytes && bytes[at] !== 0xff; ahead += 1) at += 1;
    if (bytes[at] !== 0xff) at = bytes.indexOf(0xff, at);
    if (at === -1 || at + 1 >= bytes.length) return bytes.length;
    const next = bytes[at + 1]!;
    if (next === 0xff) at -= 1;
    else if (next !== 0 && (next < 0xd0 || next > 0xd7)) return at;
  }
}
