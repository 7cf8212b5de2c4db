// What a program does not read in two kinds of files that are large.

/** In an ELF file of 64 bits: where the tables begin, and how many entries they have. */
const elf = { programs: 0x20, sections: 0x28, programSize: 0x36, programCount: 0x38, sectionCount: 0x3c };
/** In an entry of the table of programs. */
const segment = { offset: 0x08, fileBytes: 0x20 };

/**
 * A program of Linux without its symbols and what a debugger reads, which lie behind everything that is loaded: the file ends there, and has no
 * table of sections. Other files stay as they are.
 */
export function withoutDebugging(bytes: Buffer): Buffer {
  // The first bytes of such a file: its name, 64 bits, the lower byte first.
  if (bytes.toString('latin1', 0, 6) !== '\x7fELF\x02\x01') return bytes;
  const begin = Number(bytes.readBigUInt64LE(elf.programs));
  const size = bytes.readUInt16LE(elf.programSize);
  const count = bytes.readUInt16LE(elf.programCount);
  let end = begin + count * size;
  for (let at = begin; at < begin + count * size; at += size) {
    const offset = bytes.readBigUInt64LE(at + segment.offset);
    end = Math.max(end, Number(offset + bytes.readBigUInt64LE(at + segment.fileBytes)));
  }
  const loaded = Buffer.from(bytes.subarray(0, end));
  loaded.writeBigUInt64LE(0n, elf.sections);
  // With the number of the section that has the names of the others.
  loaded.writeUInt32LE(0, elf.sectionCount);
  return loaded;
}

/** A font's table begins after the 12 bytes of the file's head; an entry is name, checksum, offset, length. */
const font = { head: 12, entry: 16, count: 4 };

/** A font in colours without its drawings in SVG, a second form of them that Chromium does not read. */
export function withoutDrawings(bytes: Buffer): Buffer {
  const tables = Array.from({ length: bytes.readUInt16BE(font.count) }, (_, index) => {
    const entry = bytes.subarray(font.head + index * font.entry, font.head + (index + 1) * font.entry);
    const offset = entry.readUInt32BE(8);
    return { entry, content: bytes.subarray(offset, offset + entry.readUInt32BE(12)) };
  });
  const kept = tables.filter(({ entry }) => entry.toString('latin1', 0, 4) !== 'SVG ');
  if (kept.length === tables.length) return bytes;
  const head = Buffer.from(bytes.subarray(0, font.head));
  head.writeUInt16BE(kept.length, font.count);
  const highest = 2 ** Math.floor(Math.log2(kept.length));
  head.writeUInt16BE(highest * font.entry, 6);
  head.writeUInt16BE(Math.log2(highest), 8);
  head.writeUInt16BE((kept.length - highest) * font.entry, 10);
  let offset = font.head + kept.length * font.entry;
  const entries: Buffer[] = [];
  const contents: Buffer[] = [];
  for (const { entry, content } of kept) {
    const moved = Buffer.from(entry);
    moved.writeUInt32BE(offset, 8);
    entries.push(moved);
    // Each begins at a multiple of four.
    const padded = Buffer.concat([content, Buffer.alloc((4 - (content.length % 4)) % 4)]);
    contents.push(padded);
    offset += padded.length;
  }
  return Buffer.concat([head, ...entries, ...contents]);
}
