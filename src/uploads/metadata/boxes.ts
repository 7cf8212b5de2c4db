// Reads the boxes of an AVIF: their types and places, and the tables that say which bytes belong to which item. ISO/IEC 14496-12 4.2,
// 8.11. Whatever does not add up throws, and so does a table with more entries than any picture has.
import { Unreadable } from '#cell/work.ts';

export interface Box {
  type: string;
  /** Where its size and type begin. */
  at: number;
  /** Where its content begins. */
  from: number;
  to: number;
}

/** A part of the file that an item consists of. */
export interface Extent {
  from: number;
  to: number;
  itemId: number;
}

const maxBoxes = 4_096;
const maxExtents = 16_384;
/** The version and flags of a full box. */
export const versionBytes = 4;

/** The boxes that fill a part of the file. */
export function boxesIn(bytes: Buffer, { from, to }: { from: number; to: number }): Box[] {
  const boxes: Box[] = [];
  for (let at = from; at < to;) {
    if (boxes.length === maxBoxes) throw new Unreadable(`has more than ${maxBoxes} boxes`);
    if (at + 8 > to) throw new Unreadable('ends within a box');
    let [size, header] = [bytes.readUInt32BE(at), 8];
    if (size === 1) [size, header] = [at + 16 > to ? 0 : Number(bytes.readBigUInt64BE(at + 8)), 16];
    else if (size === 0) size = to - at;
    if (size < header || at + size > to) throw new Unreadable('has a box of a wrong size');
    const type = bytes.toString('latin1', at + 4, at + 8);
    boxes.push({ type, at, from: at + header, to: at + size });
    at += size;
  }
  return boxes;
}

/** The type of every item. */
export function itemTypes(bytes: Buffer, table: Box): Map<number, string> {
  const isShort = bytes.readUInt8(table.from) === 0;
  const from = table.from + versionBytes + (isShort ? 2 : 4);
  const types = new Map<number, string>();
  for (const entry of boxesIn(bytes, { from, to: table.to })) {
    const version = bytes.readUInt8(entry.from);
    if (entry.type !== 'infe' || version < 2) throw new Unreadable('has items of an unknown kind');
    const idBytes = version === 2 ? 2 : 4;
    const id = bytes.readUIntBE(entry.from + versionBytes, idBytes);
    const type = entry.from + versionBytes + idBytes + 2;
    if (type + 4 > entry.to || types.has(id)) throw new Unreadable('has a wrong list of items');
    types.set(id, bytes.toString('latin1', type, type + 4));
  }
  return types;
}

/** The items that are thumbnails of others. */
export function thumbnailItems(bytes: Buffer, table: Box): Set<number> {
  const idBytes = bytes.readUInt8(table.from) === 0 ? 2 : 4;
  const references = boxesIn(bytes, { from: table.from + versionBytes, to: table.to });
  const thumbnails = references.filter(({ type, from, to }) => type === 'thmb' && from + idBytes <= to);
  return new Set(thumbnails.map(({ from }) => bytes.readUIntBE(from, idBytes)));
}

/** Where every item is. `idat` is the box for items that are stored next to these tables. */
export function extentsOf(bytes: Buffer, table: Box, idat: Box | undefined): Extent[] {
  let at = table.from;
  function next(size: number): number {
    if (at + size > table.to) throw new Unreadable('ends within its table of places');
    const start = at;
    at += size;
    if (size === 8) return Number(bytes.readBigUInt64BE(start));
    return size === 0 ? 0 : bytes.readUIntBE(start, size);
  }

  const version = next(1);
  next(3);
  const [sizes, more] = [next(1), next(1)];
  const [offsetBytes, lengthBytes, baseBytes] = [sizes >> 4, sizes & 15, more >> 4];
  const indexBytes = version === 0 ? 0 : more & 15;
  if (
    version > 2 ||
    ![offsetBytes, lengthBytes, baseBytes, indexBytes].every((size) => [0, 4, 8].includes(size))
  )
    throw new Unreadable('has a table of places of an unknown kind');
  const idBytes = version === 2 ? 4 : 2;
  const extents: Extent[] = [];
  const items = next(idBytes);
  if (items > maxBoxes) throw new Unreadable(`has more than ${maxBoxes} items`);
  for (let left = items; left > 0; left -= 1) {
    const itemId = next(idBytes);
    const method = version === 0 ? 0 : next(2) & 15;
    const isElsewhere = next(2) !== 0;
    const base = next(baseBytes);
    const source = method === 0 ? { from: 0, to: bytes.length } : idat;
    for (let count = next(2); count > 0; count -= 1) {
      if (extents.length === maxExtents) throw new Unreadable(`has more than ${maxExtents} extents`);
      next(indexBytes);
      const from = (source?.from ?? 0) + base + next(offsetBytes);
      const length = next(lengthBytes);
      // Other methods refer to other items, or to other files.
      if (isElsewhere || method > 1 || !source || from > source.to)
        throw new Unreadable('has an item in an unknown place');
      extents.push({ itemId, from, to: length === 0 ? source.to : from + length });
      if (from + length > source.to) throw new Unreadable('has an item past its end');
    }
  }
  return extents;
}
