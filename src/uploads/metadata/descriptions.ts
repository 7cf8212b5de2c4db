// Names the kinds of metadata in XMP, Photoshop's resources with IPTC, and keywords of texts.
import type { Describe, MetadataKind } from '#uploads/metadata/cleaning.ts';

const words: Record<MetadataKind, string[]> = {
  gps: ['GPSL', 'GPSA', 'Iptc4xmpCore:Location', 'photoshop:City'],
  camera: ['tiff:Make', 'tiff:Model', 'exifEX:', 'aux:', 'xmp:CreatorTool', 'exif:F', 'exif:Exposure'],
  time: ['xmp:CreateDate', 'xmp:ModifyDate', 'xmp:MetadataDate', 'exif:DateTime', 'DateCreated', 'GPSTime'],
  author: ['dc:creator', 'dc:rights', 'xmpRights:', 'photoshop:Credit', 'photoshop:Author', 'plus:'],
  thumbnail: [
    'xmpGImg:',
    'xmp:Thumbnails',
    'GainMap',
    'GImage:',
    'GCamera:MicroVideo',
    'Container:Directory',
  ],
  text: ['dc:description', 'dc:title', 'dc:subject', 'exif:UserComment', 'photoshop:Headline', 'lr:'],
};

/** A packet that has none of these words is a text. */
export const describeXmp: Describe = (packet) => {
  const text = packet.toString('latin1');
  const kinds = (Object.keys(words) as MetadataKind[]).filter((kind) =>
    words[kind].some((word) => text.includes(word)),
  );
  return kinds.length > 0 ? kinds : ['text'];
};

/** Datasets of record 2; every other one is a text. IPTC IIM 4.2 section 6. */
const iptcKinds: Record<number, MetadataKind | undefined> = {
  0: undefined,
  30: 'time',
  37: 'time',
  55: 'time',
  60: 'time',
  62: 'time',
  63: 'time',
  65: 'camera',
  70: 'camera',
  80: 'author',
  85: 'author',
  110: 'author',
  115: 'author',
  116: 'author',
  118: 'author',
  122: 'author',
};
const resources = { iptc: 0x0404, exif: [0x0422, 0x0423], xmp: 0x0424, thumbnails: [0x0409, 0x040c] };
/** The number of the record that tells its version and character set. */
const envelope = 1;

/** Takes what follows the name of the segment: resources with a number, a name and a size. */
export const describePhotoshop: Describe = (block) => {
  const found = new Set<MetadataKind>();
  for (let at = 0; at + 12 <= block.length && block.toString('latin1', at, at + 4) === '8BIM';) {
    const number = block.readUInt16BE(at + 4);
    // Names are padded to an even length, with their length byte, and so is the data.
    const size = at + 6 + evenly(1 + block.readUInt8(at + 6));
    if (size + 4 > block.length) break;
    const end = size + 4 + block.readUInt32BE(size);
    const data = block.subarray(size + 4, end);
    if (number === resources.iptc) for (const kind of describeIptc(data)) found.add(kind);
    else if (number === resources.xmp) for (const kind of describeXmp(data)) found.add(kind);
    else if (resources.exif.includes(number)) found.add('text');
    else if (resources.thumbnails.includes(number)) found.add('thumbnail');
    at = size + 4 + evenly(end - size - 4);
  }
  return found;
};

const evenly = (length: number): number => length + (length % 2);

function* describeIptc(data: Buffer): Iterable<MetadataKind> {
  for (let at = 0; at + 5 <= data.length && data[at] === 0x1c; at += 5 + data.readUInt16BE(at + 3)) {
    const [record, number] = [data.readUInt8(at + 1), data.readUInt8(at + 2)];
    const kind = number in iptcKinds ? iptcKinds[number] : 'text';
    if (record !== envelope && kind) yield kind;
  }
}

const keywords: [RegExp, MetadataKind][] = [
  [/^(author|copyright|artist)/i, 'author'],
  [/^(creation time|date)/i, 'time'],
  [/^(software|source|make|model)/i, 'camera'],
];

/** A PNG's text: a keyword, a zero byte and the rest, which may be compressed and is not read unless it is XMP. */
export const describeKeyword: Describe = (block) => {
  const end = block.indexOf(0);
  const keyword = block.toString('latin1', 0, Math.min(end === -1 ? 80 : end, 80));
  if (keyword === 'XML:com.adobe.xmp') return describeXmp(block);
  return [keywords.find(([pattern]) => pattern.test(keyword))?.[1] ?? 'text'];
};
