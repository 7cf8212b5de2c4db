// Reads the tags of EXIF metadata and writes the only EXIF that is kept: the orientation of the picture. CIPA DC-008.
import { orientationOf } from '#core/image-header.ts';
import type { MetadataKind } from '#uploads/metadata/cleaning.ts';

/** Entries read of one directory; cameras write fewer than a hundred. */
const maxEntries = 512;

const pointers = { exif: 0x8769, gps: 0x8825 };
const times = [0x0132, 0x9003, 0x9004, 0x9010, 0x9011, 0x9012, 0x9290, 0x9291, 0x9292];
const authors = [0x013b, 0x8298, 0xa430, 0x9c9d];
const texts = [0x010d, 0x010e, 0x02bc, 0x83bb, 0x8649, 0x9213, 0x9286, 0x9c9b, 0x9c9c, 0x9c9e, 0x9c9f];
/** About the encoding of the picture: sizes, resolution, colour space, versions, pointers. */
const ofThePicture = [
  0x0100,
  0x0101,
  0x0102,
  0x0103,
  0x0106,
  0x0112,
  0x0115,
  0x011a,
  0x011b,
  0x011c,
  0x0128,
  0x013e,
  0x013f,
  0x0201,
  0x0202,
  0x0211,
  0x0212,
  0x0213,
  0x0214,
  0x0301,
  0x9000,
  0x9101,
  0xa000,
  0xa001,
  0xa002,
  0xa003,
  0xa005,
  0xc4a5,
  ...Object.values(pointers),
];
/** Every other tag tells what made the picture, and how. */
const kindOf = new Map<number, MetadataKind | undefined>([
  ...times.map((tag) => [tag, 'time'] as const),
  ...authors.map((tag) => [tag, 'author'] as const),
  ...texts.map((tag) => [tag, 'text'] as const),
  ...ofThePicture.map((tag) => [tag, undefined] as const),
]);
const gpsTimes = [0x0007, 0x001d];

/** From 2 to 8; undefined for a picture that is shown as it is stored. */
export function turnOf(tiff: Buffer): number | undefined {
  const orientation = orientationOf(tiff);
  return orientation >= 2 && orientation <= 8 ? orientation : undefined;
}

/** A TIFF header and one directory with one entry. */
export function exifWithOrientation(orientation: number): Buffer {
  const tiff = Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex');
  tiff.writeUInt16BE(orientation, 18);
  return tiff;
}

/** Without entries, for a place that must remain. */
export const exifWithoutEntries = Buffer.from('4d4d002a00000008000000000000', 'hex');

/** Takes the TIFF header and what follows. Follows no more than four directories, so no loop of pointers is endless. */
export function describeExif(tiff: Buffer): Set<MetadataKind> {
  const found = new Set<MetadataKind>();
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const short = (at: number): number =>
    at + 2 > tiff.length ? 0 : isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at);
  const long = (at: number): number =>
    at + 4 > tiff.length ? 0 : isLittle ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at);

  function readDirectory(at: number): { tags: Map<number, number>; next: number } {
    const tags = new Map<number, number>();
    const entries = at === 0 ? 0 : short(at);
    for (let entry = 0; entry < Math.min(entries, maxEntries); entry += 1) {
      const place = at + 2 + entry * 12;
      if (place + 12 > tiff.length) break;
      tags.set(short(place), long(place + 8));
    }
    return { tags, next: long(at + 2 + entries * 12) };
  }

  const main = readDirectory(long(4));
  const exif = readDirectory(main.tags.get(pointers.exif) ?? 0);
  const gps = readDirectory(main.tags.get(pointers.gps) ?? 0);
  const thumbnail = readDirectory(main.next);
  for (const tag of [...main.tags.keys(), ...exif.tags.keys()]) {
    const kind = kindOf.has(tag) ? kindOf.get(tag) : 'camera';
    if (kind) found.add(kind);
  }
  // The first entry is the version of the directory.
  if ([...gps.tags.keys()].some((tag) => tag !== 0)) found.add('gps');
  if (gpsTimes.some((tag) => gps.tags.has(tag))) found.add('time');
  if (thumbnail.tags.size > 0) found.add('thumbnail');
  // Not as it should be, and so not understood.
  if (main.tags.size === 0 && tiff.some((byte, at) => at >= exifWithoutEntries.length && byte !== 0))
    found.add('text');
  return found;
}
