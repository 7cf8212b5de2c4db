// The zip format, only what is needed to stream files without compression: each file's bytes pass through, followed by its
// checksum.
import { crc32 } from 'node:zlib';

interface ZipFile {
  name: string;
  sizeBytes: number;
  modifiedAt: number;
  /** Undefined if it was deleted in the meantime; it is then left out. */
  open(): Promise<({ stream: AsyncIterable<Buffer> } & Disposable) | undefined>;
}

const localMark = 0x04034b50;
const descriptorMark = 0x08074b50;
const centralMark = 0x02014b50;
const endMark = 0x06054b50;
const farEndMark = 0x06064b50;
const farEndPlaceMark = 0x07064b50;
const version = 20;
/** With Zip64, which places beyond 4 GB need. */
const farVersion = 45;
/** Stands for a number that is in the Zip64 fields. */
const elsewhere = 0xffffffff;
/** Checksum after the bytes (bit 3), names in UTF-8 (bit 11). */
const flags = 0x0808;

/** At most 65,534 files, each smaller than 4 GB. */
export async function* zipOf(files: Iterable<ZipFile> | AsyncIterable<ZipFile>): AsyncGenerator<Buffer> {
  const directory: Buffer[] = [];
  let offset = 0;
  for await (const { name, sizeBytes, modifiedAt, open } of files) {
    // The reader may disconnect at any of the yields.
    using file = await open();
    if (!file) continue;
    const nameBytes = Buffer.from(name);
    /** The fields that a local header and an entry of the directory share. Stored as it is: pictures are already compressed. */
    const fields = (checksum: number, extraBytes = 0): Buffer[] => [
      uint16(extraBytes === 0 ? version : farVersion, flags, 0, ...dosTime(modifiedAt)),
      uint32(checksum, sizeBytes, sizeBytes),
      uint16(nameBytes.length, extraBytes),
    ];
    const header = Buffer.concat([uint32(localMark), ...fields(0), nameBytes]);
    yield header;
    let sum = 0;
    for await (const chunk of file.stream) {
      sum = crc32(chunk, sum);
      yield chunk;
    }
    const descriptor = uint32(descriptorMark, sum, sizeBytes, sizeBytes);
    yield descriptor;
    // Comment, disk and attributes are all zero.
    const place = [Buffer.alloc(10), uint32(Math.min(offset, elsewhere))];
    const extra = offset < elsewhere ? Buffer.alloc(0) : Buffer.concat([uint16(1, 8), uint64(offset)]);
    directory.push(
      Buffer.concat([
        uint32(centralMark),
        uint16(version),
        ...fields(sum, extra.length),
        ...place,
        nameBytes,
        extra,
      ]),
    );
    offset += header.length + sizeBytes + descriptor.length;
  }
  const central = Buffer.concat(directory);
  yield central;
  const count = directory.length;
  if (offset >= elsewhere)
    yield Buffer.concat([
      uint32(farEndMark),
      uint64(44),
      uint16(farVersion, farVersion),
      uint32(0, 0),
      uint64(count, count, central.length, offset),
      uint32(farEndPlaceMark, 0),
      uint64(offset + central.length),
      uint32(1),
    ]);
  yield Buffer.concat([
    uint32(endMark),
    uint16(0, 0, count, count),
    uint32(central.length, Math.min(offset, elsewhere)),
    uint16(0),
  ]);
}

const numbers =
  (width: 2 | 4) =>
  (...values: number[]): Buffer => {
    const bytes = Buffer.alloc(width * values.length);
    for (const [index, value] of values.entries()) bytes.writeUIntLE(value, width * index, width);
    return bytes;
  };
const uint16 = numbers(2);
const uint32 = numbers(4);
const uint64 = (...values: number[]): Buffer =>
  Buffer.concat(values.map((value) => uint32(value % 2 ** 32, Math.floor(value / 2 ** 32))));

/** UTC, with a resolution of two seconds; the format has no time zone. */
function dosTime(at: number): [time: number, date: number] {
  const date = new Date(at);
  return [
    (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1),
    ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate(),
  ];
}

/** Names that occur more than once get a number: `a.png`, `a (2).png`. */
export const distinctNames = (names: string[]): string[] => names.map(createNamer());

/** The same, name by name. */
export function createNamer(): (name: string) => string {
  const taken = new Set<string>();
  // The number to try next for each name: counting from 2 for each of a thousand equal names would take half a million steps.
  const counts = new Map<string, number>();
  return (name) => {
    const dot = name.lastIndexOf('.');
    const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
    let free = name;
    // Many file systems are case-insensitive.
    const key = name.toLowerCase();
    let count = counts.get(key) ?? 2;
    for (; taken.has(free.toLowerCase()); count += 1) free = `${stem} (${count})${extension}`;
    counts.set(key, count);
    taken.add(free.toLowerCase());
    return free;
  };
}
