// What the readers of the containers share: the picture without its metadata, as pieces of the original, and the kinds of metadata that
// were found. Reading takes time in proportion to the file, and is bounded: how much of the metadata is looked at for its kinds, and how
// many blocks a file may have, wherever in it they are.
import { Unreadable } from '#cell/work.ts';

/** In the order in which a response lists them. */
export const metadataKinds = ['gps', 'camera', 'time', 'author', 'thumbnail', 'text'] as const;
export type MetadataKind = (typeof metadataKinds)[number];

export interface Cleaning {
  /** The picture without metadata; all of the original if nothing was removed. */
  pieces: Buffer[];
  isChanged: boolean;
  found: Set<MetadataKind>;
}

/** Names the kinds of metadata in one block; `block` may be only its beginning. */
export type Describe = (block: Buffer) => Iterable<MetadataKind>;

/** Everything is removed, however large; only so much is searched for what to call it. */
const describedBytes = 256 * 1024;
const maxBlocks = 100_000;

export const asText: Describe = () => ['text'];
export const asThumbnail: Describe = () => ['thumbnail'];
export const harmless: Describe = () => [];

export function startCleaning(bytes: Buffer) {
  const pieces: Buffer[] = [];
  const found = new Set<MetadataKind>();
  let [keptFrom, keptTo] = [0, 0];
  let isChanged = false;
  let blocks = 0;
  let leftToDescribe = describedBytes;

  function flush(): void {
    if (keptTo > keptFrom) pieces.push(bytes.subarray(keptFrom, keptTo));
  }

  function drop(block: Buffer, describe: Describe): void {
    isChanged = true;
    const start = block.subarray(0, leftToDescribe);
    leftToDescribe -= start.length;
    for (const kind of describe(start)) found.add(kind);
    if (start.length < block.length) found.add('text');
  }

  return {
    /** Called for each block, however small. */
    count(): void {
      blocks += 1;
      if (blocks > maxBlocks) throw new Unreadable(`has more than ${maxBlocks} parts`);
    },
    keep(from: number, to: number): void {
      if (from !== keptTo) {
        flush();
        keptFrom = from;
      }
      keptTo = to;
    },
    drop,
    /** Puts other bytes in place of a block, unless they are the same. */
    replace(from: number, to: number, by: Buffer[], describe: Describe): void {
      const block = bytes.subarray(from, to);
      if (by.length === 1 && by[0]?.equals(block)) return this.keep(from, to);
      drop(block, describe);
      flush();
      [keptFrom, keptTo] = [to, to];
      pieces.push(...by);
    },
    end(): Cleaning {
      flush();
      return { pieces, isChanged, found };
    },
  };
}

/** What follows the end of the picture: padding, another picture or film, or anything else. */
export const describeRest: Describe = (rest) => {
  if (rest.equals(Buffer.alloc(rest.length))) return [];
  const isPicture = rest.indexOf('\xff\xd8\xff', 'latin1') !== -1 || rest.indexOf('ftyp', 'latin1') !== -1;
  return isPicture ? ['thumbnail'] : ['text'];
};
