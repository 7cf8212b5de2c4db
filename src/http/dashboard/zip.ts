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
const version = 20;
/** Checksum after the bytes (bit 3), names in UTF-8 (bit 11). */
const flags = 0x0808;

/** At most 65,535 files and 4 GB: larger archives would need Zip64. */
export async function* zipOf(files: ZipFile[]): AsyncGenerator<Buffer> {
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, sizeBytes, modifiedAt, open } of files) {
    // The reader may disconnect at any of the yields.
    using file = await open();
    if (!file) continue;
    const bytes = Buffer.from(name);
    const header = Buffer.concat([head(localMark, [], sizeBytes, modifiedAt, 0, bytes.length), bytes]);
    yield header;
    let sum = 0;
    for await (const chunk of file.stream) {
      sum = crc32(chunk, sum);
      yield chunk;
    }
    const descriptor = Buffer.alloc(16);
    for (const [index, value] of [descriptorMark, sum, sizeBytes, sizeBytes].entries())
      descriptor.writeUInt32LE(value, index * 4);
    yield descriptor;
    // Comment, disk and attributes are all zero.
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(head(centralMark, [version], sizeBytes, modifiedAt, sum, bytes.length), place, bytes);
    offset += header.length + sizeBytes + descriptor.length;
  }
  const central = Buffer.concat(directory);
  yield central;
  const end = Buffer.alloc(22);
  end.writeUInt32LE(endMark, 0);
  end.writeUInt16LE(directory.length / 3, 8);
  end.writeUInt16LE(directory.length / 3, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  yield end;
}

/** The fields that a local header and an entry of the directory share. */
function head(
  mark: number,
  madeBy: number[],
  sizeBytes: number,
  modifiedAt: number,
  sum: number,
  nameLength: number,
): Buffer {
  const header = Buffer.alloc(30 + 2 * madeBy.length);
  let at = header.writeUInt32LE(mark, 0);
  // Stored without compression: pictures are already compressed.
  for (const value of [...madeBy, version, flags, 0, ...dosTime(modifiedAt)])
    at = header.writeUInt16LE(value, at);
  for (const value of [sum, sizeBytes, sizeBytes]) at = header.writeUInt32LE(value, at);
  header.writeUInt16LE(nameLength, at);
  return header;
}

/** UTC, with a resolution of two seconds; the format has no time zone. */
function dosTime(at: number): [time: number, date: number] {
  const date = new Date(at);
  return [
    (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1),
    ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate(),
  ];
}

/** Names that occur more than once get a number: `a.png`, `a (2).png`. */
export function distinctNames(names: string[]): string[] {
  const taken = new Set<string>();
  // The number to try next for each name: counting from 2 for each of a thousand equal names would take half a million steps.
  const counts = new Map<string, number>();
  return names.map((name) => {
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
  });
}
