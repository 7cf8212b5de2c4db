// An AVIF without metadata. Its tables name places in the file, so nothing is moved: what is removed is overwritten with zeros. The
// orientation is a property of the picture and stays. ISO/IEC 23008-12, AVIF 1.1.
import { Unreadable } from '#cell/work.ts';
import {
  asText,
  asThumbnail,
  describeRest,
  startCleaning,
  type Cleaning,
  type Describe,
} from '#uploads/metadata/cleaning.ts';
import { describeXmp } from '#uploads/metadata/descriptions.ts';
import { describeExif, exifWithoutEntries } from '#uploads/metadata/exif.ts';
import {
  boxesIn,
  extentsOf,
  itemTypes,
  thumbnailItems,
  versionBytes,
  type Box,
  type Extent,
} from '#uploads/metadata/boxes.ts';

/** A part of the file, what it gets instead, filled up with zeros, and how to describe what was there. */
interface Blank {
  from: number;
  to: number;
  by: Buffer;
  describe: Describe;
}

/** Items that pictures consist of; all others are metadata. */
const pictureTypes = ['av01', 'grid', 'iovl', 'iden', 'tmap', 'sato'];
const keptInMeta = ['hdlr', 'pitm', 'iloc', 'iinf', 'iref', 'iprp', 'idat', 'grpl', 'dinf'];
const describedProperties = new Map<string, Describe>([
  ['udes', asText],
  ['crtt', () => ['time']],
  ['mdft', () => ['time']],
]);
const sequenceTypes = ['moov', 'moof', 'mfra'];
/** Writers make one. */
const maxDataBoxes = 16;
const nothing = Buffer.alloc(0);
const free = Buffer.from('free');
/** After the offset of the TIFF header, which is zero. */
const emptyExif = Buffer.concat([Buffer.alloc(4), exifWithoutEntries]);

export function cleanAvif(bytes: Buffer): Cleaning {
  const boxes = boxesIn(bytes, { from: 0, to: bytes.length });
  if (boxes.some(({ type }) => sequenceTypes.includes(type)))
    throw new Unreadable('is a sequence, from which metadata cannot be removed');
  if (boxes.filter(({ type }) => type === 'mdat').length > maxDataBoxes)
    throw new Unreadable(`has more than ${maxDataBoxes} boxes of data`);
  const others = boxes.filter(({ type }) => !['ftyp', 'meta', 'mdat'].includes(type));
  const meta = only(boxes, 'meta');
  if (!meta) throw new Unreadable('has no list of items');
  const inside = boxesIn(bytes, { from: meta.from + versionBytes, to: meta.to });
  const blanks = [
    ...[...others, ...inside.filter(({ type }) => !keptInMeta.includes(type))].flatMap((box) =>
      asFree(bytes, box),
    ),
    ...propertyBlanks(bytes, inside),
    ...itemBlanks(
      bytes,
      inside,
      boxes.filter(({ type }) => type === 'mdat'),
    ),
  ];
  return blanked(bytes, blanks);
}

function only(boxes: Box[], type: string): Box | undefined {
  const found = boxes.filter((box) => box.type === type);
  if (found.length > 1) throw new Unreadable(`has more than one box of the type ${type}`);
  return found[0];
}

/** Free space is ignored by everyone. */
function asFree(bytes: Buffer, { type, at, from, to }: Box): Blank[] {
  const isXmp = type === 'uuid' && bytes.toString('hex', from, from + 4) === 'be7acfcb';
  return [
    { from: at + 4, to: at + 8, by: free, describe: () => [] },
    { from, to, by: nothing, describe: isXmp ? describeXmp : asText },
  ];
}

function propertyBlanks(bytes: Buffer, inside: Box[]): Blank[] {
  const properties = only(inside, 'iprp');
  const list = properties && only(boxesIn(bytes, properties), 'ipco');
  return (list ? boxesIn(bytes, list) : []).flatMap(({ type, from, to }) => {
    if (type === 'uuid') throw new Unreadable('has private properties');
    const describe = describedProperties.get(type);
    return describe ? [{ from: Math.min(from + versionBytes, to), to, by: nothing, describe }] : [];
  });
}

function itemBlanks(bytes: Buffer, inside: Box[], data: Box[]): Blank[] {
  const [items, places, references] = [only(inside, 'iinf'), only(inside, 'iloc'), only(inside, 'iref')];
  if (!items || !places) throw new Unreadable('has no list of items');
  const idat = only(inside, 'idat');
  const types = itemTypes(bytes, items);
  const thumbnails = references ? thumbnailItems(bytes, references) : new Set<number>();
  const extents = extentsOf(bytes, places, idat).toSorted((left, right) => left.from - right.from);
  const isMetadata = ({ itemId }: Extent): boolean =>
    thumbnails.has(itemId) || !pictureTypes.includes(types.get(itemId) ?? '');
  refuseShared(extents, isMetadata);
  const sources = [...data, ...(idat ? [idat] : [])];
  const ofItems = extents.filter(isMetadata).map(({ itemId, from, to }): Blank => {
    if (!sources.some((source) => from >= source.from && to <= source.to))
      throw new Unreadable('has metadata among its tables');
    const type = types.get(itemId);
    if (thumbnails.has(itemId)) return { from, to, by: nothing, describe: asThumbnail };
    if (type === 'Exif') {
      const by = to - from < emptyExif.length ? nothing : emptyExif;
      return { from, to, by, describe: (block) => describeExif(tiffOf(block)) };
    }
    return { from, to, by: nothing, describe: type === 'mime' ? describeXmp : asText };
  });
  return [...ofItems, ...sources.flatMap((source) => unnamed(source, extents))];
}

/** What belongs to no item: left behind by a program that took the item out of the tables alone. The extents are in order. */
function unnamed(source: Box, extents: Extent[]): Blank[] {
  const blanks: Blank[] = [];
  let at = source.from;
  for (const { from, to } of extents) {
    if (to <= at || from >= source.to) continue;
    if (from > at) blanks.push({ from: at, to: from, by: nothing, describe: describeRest });
    at = to;
  }
  if (at < source.to) blanks.push({ from: at, to: source.to, by: nothing, describe: describeRest });
  return blanks;
}

/** Metadata that shares bytes with the picture cannot be removed without changing the picture. The extents are in order. */
function refuseShared(extents: Extent[], isMetadata: (extent: Extent) => boolean): void {
  const ends = { metadata: 0, picture: 0 };
  for (const extent of extents) {
    const [own, other] = isMetadata(extent)
      ? (['metadata', 'picture'] as const)
      : (['picture', 'metadata'] as const);
    if (extent.to > extent.from && extent.from < ends[other])
      throw new Unreadable('has metadata in the same place as its picture');
    ends[own] = Math.max(ends[own], extent.to);
  }
}

/** After the offset of the TIFF header. */
function tiffOf(item: Buffer): Buffer {
  const offset = item.length < 4 ? 0 : item.readUInt32BE(0);
  return item.subarray(4 + (offset < item.length ? offset : 0));
}

function blanked(bytes: Buffer, blanks: Blank[]): Cleaning {
  const cleaning = startCleaning(bytes);
  let at = 0;
  for (const { from, to, by, describe } of blanks.toSorted((left, right) => left.from - right.from)) {
    // Two items may be the same bytes; what the first one has left is done already.
    if (to <= at) continue;
    if (from < at) throw new Unreadable('has metadata that overlaps');
    cleaning.keep(at, from);
    const blank = Buffer.alloc(to - from);
    by.copy(blank);
    cleaning.replace(from, to, [blank], describe);
    at = to;
  }
  cleaning.keep(at, bytes.length);
  return cleaning.end();
}
