// Reads the size of an AVIF's primary item from its `meta` box. ISO/IEC 23008-12 6.5; MIAF.
import type { Dimensions } from '#core/image-header.ts';

interface Box {
  type: string;
  body: Buffer;
  /** Where the next one begins. */
  end: number;
}

const maxProperties = 1024;

/** The box may come after the data. */
export function readAvif(bytes: Buffer): Dimensions | undefined {
  const meta = find(boxes(bytes), 'meta');
  return meta && readMeta(meta);
}

function readMeta(meta: Buffer): Dimensions | undefined {
  const inside = boxes(meta.subarray(4));
  const properties = find(inside, 'iprp');
  if (properties === undefined) return undefined;
  const tables = boxes(properties);
  const values = boxes(find(tables, 'ipco') ?? Buffer.alloc(0));
  const primary = primaryItem(find(inside, 'pitm'));
  const own = tables.filter(({ type }) => type === 'ipma').flatMap(({ body }) => associations(body, primary));
  const chosen = own.flatMap((index) => values[index - 1] ?? []);
  // Without an association, the first size in the file is the best guess.
  const size = find(chosen, 'ispe') ?? find(values, 'ispe');
  if (size === undefined) return undefined;
  const [width, height] = [size.readUInt32BE(4), size.readUInt32BE(8)];
  const quarterTurns = (find(chosen, 'irot')?.readUInt8(0) ?? 0) & 3;
  return quarterTurns % 2 === 1 ? { width: height, height: width } : { width, height };
}

/** Consecutive boxes; one with an invalid size ends the list. */
function boxes(bytes: Buffer): Box[] {
  const found: Box[] = [];
  for (let offset = 0; offset + 8 <= bytes.length && found.length < maxProperties;) {
    const box = boxAt(bytes, offset);
    if (!box) break;
    found.push(box);
    offset = box.end;
  }
  return found;
}

function boxAt(bytes: Buffer, offset: number): Box | undefined {
  let [size, header] = [bytes.readUInt32BE(offset), 8];
  if (size === 1 && offset + 16 <= bytes.length)
    [size, header] = [Number(bytes.readBigUInt64BE(offset + 8)), 16];
  if (size === 0) size = bytes.length - offset;
  if (size < header) return undefined;
  const end = offset + size;
  const body = bytes.subarray(offset + header, Math.min(end, bytes.length));
  return { type: bytes.toString('latin1', offset + 4, offset + 8), body, end };
}

const find = (row: Box[], type: string): Buffer | undefined => row.find((box) => box.type === type)?.body;

function primaryItem(box: Buffer | undefined): number | undefined {
  if (box === undefined) return undefined;
  return box.readUInt8(0) === 0 ? box.readUInt16BE(4) : box.readUInt32BE(4);
}

/** The one-based indexes of an item's properties. */
function associations(box: Buffer, item: number | undefined): number[] {
  const wideIds = box.readUInt8(0) > 0;
  const wideIndexes = (box.readUInt8(3) & 1) === 1;
  const items = Math.min(box.readUInt32BE(4), maxProperties);
  let offset = 8;
  for (let count = 0; count < items; count += 1) {
    const id = wideIds ? box.readUInt32BE(offset) : box.readUInt16BE(offset);
    offset += wideIds ? 4 : 2;
    const length = box.readUInt8(offset);
    offset += 1;
    const indexes = Array.from({ length }, (_, place) =>
      wideIndexes ? box.readUInt16BE(offset + place * 2) & 0x7fff : box.readUInt8(offset + place) & 0x7f,
    );
    if (id === item) return indexes;
    offset += length * (wideIndexes ? 2 : 1);
  }
  return [];
}
