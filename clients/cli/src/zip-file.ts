// Reads a ZIP archive: its list of files at once, each file when it is asked for. ZIP64 too; nothing is written to disk.
import { open, type FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';

const inflate = promisify(inflateRaw);

interface ZipEntry {
  name: string;
  size: number;
  crc: number;
  read(): Promise<Buffer>;
}

export interface ZipFile {
  entries: ZipEntry[];
  close(): Promise<void>;
}

/** Signatures and lengths of the fixed parts: end of the list, its ZIP64 forms, a row of the list, a file. */
const end = { signature: 0x06054b50, bytes: 22 };
const end64Pointer = { signature: 0x07064b50, bytes: 20 };
const end64 = { signature: 0x06064b50, bytes: 56 };
const row = { signature: 0x02014b50, bytes: 46 };
const local = { signature: 0x04034b50, bytes: 30 };
const maxComment = 0xffff;
/** A value of 32 bits that is in the ZIP64 part instead. */
const elsewhere = 0xffffffff;
/** More than the list of a million files. */
const maxListBytes = 256 * 1024 * 1024;

export async function openZip(path: string): Promise<ZipFile> {
  const handle = await open(path);
  try {
    return { entries: entriesOf(handle, await readList(handle)), close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead < length) throw new Error('the archive is cut off');
  return buffer;
}

async function readList(handle: FileHandle): Promise<Buffer> {
  const { size } = await handle.stat();
  const tailBytes = Math.min(size, end.bytes + maxComment);
  const tail = await readAt(handle, size - tailBytes, tailBytes);
  let at = tailBytes - end.bytes;
  while (at >= 0 && tail.readUInt32LE(at) !== end.signature) at -= 1;
  if (at < 0) throw new Error('it is no ZIP archive, or it is cut off');
  let listBytes = tail.readUInt32LE(at + 12);
  let listAt = tail.readUInt32LE(at + 16);
  const pointerAt = at - end64Pointer.bytes;
  if (pointerAt >= 0 && tail.readUInt32LE(pointerAt) === end64Pointer.signature) {
    const large = await readAt(handle, numberAt(tail, pointerAt + 8), end64.bytes);
    if (large.readUInt32LE(0) !== end64.signature) throw new Error('its ZIP64 part is damaged');
    listBytes = numberAt(large, 40);
    listAt = numberAt(large, 48);
  }
  if (listBytes > maxListBytes) throw new Error('its list of files is too long');
  return readAt(handle, listAt, listBytes);
}

const numberAt = (bytes: Buffer, at: number): number => Number(bytes.readBigUInt64LE(at));

function entriesOf(handle: FileHandle, list: Buffer): ZipEntry[] {
  const entries: ZipEntry[] = [];
  for (let at = 0; at + row.bytes <= list.length;) {
    if (list.readUInt32LE(at) !== row.signature) throw new Error('its list of files is damaged');
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((field) =>
      list.readUInt16LE(at + field),
    ) as [number, number, number];
    const extraAt = at + row.bytes + nameBytes;
    const name = list.toString('utf8', at + row.bytes, extraAt);
    const sizes = sizesOf(list, at, list.subarray(extraAt, extraAt + extraBytes));
    const isEncrypted = (list.readUInt16LE(at + 8) & 1) === 1;
    const method = list.readUInt16LE(at + 10);
    if (!name.endsWith('/')) {
      entries.push({
        name,
        size: sizes.size,
        crc: list.readUInt32LE(at + 16),
        read: () => {
          if (isEncrypted) throw new Error('it is encrypted');
          return readEntry(handle, sizes, method);
        },
      });
    }
    at = extraAt + extraBytes + commentBytes;
  }
  return entries;
}

interface Sizes {
  size: number;
  packed: number;
  localAt: number;
}

/** What does not fit into 32 bits is in an extra field, in this order. */
function sizesOf(list: Buffer, at: number, extra: Buffer): Sizes {
  let large: Buffer = Buffer.alloc(0);
  for (let field = 0; field + 4 <= extra.length; field += 4 + extra.readUInt16LE(field + 2))
    if (extra.readUInt16LE(field) === 1) large = extra.subarray(field + 4);
  let next = 0;
  const value = (small: number): number => {
    if (small !== elsewhere) return small;
    next += 8;
    return numberAt(large, next - 8);
  };
  const size = value(list.readUInt32LE(at + 24));
  const packed = value(list.readUInt32LE(at + 20));
  return { size, packed, localAt: value(list.readUInt32LE(at + 42)) };
}

async function readEntry(
  handle: FileHandle,
  { size, packed, localAt }: Sizes,
  method: number,
): Promise<Buffer> {
  const head = await readAt(handle, localAt, local.bytes);
  if (head.readUInt32LE(0) !== local.signature) throw new Error('the archive is damaged');
  const dataAt = localAt + local.bytes + head.readUInt16LE(26) + head.readUInt16LE(28);
  const data = await readAt(handle, dataAt, packed);
  if (method !== 0 && method !== 8) throw new Error(`it is packed by method ${method}`);
  // No more than the list says: a small file can unpack to gigabytes.
  const bytes = method === 0 ? data : await inflate(data, { maxOutputLength: Math.max(size, 1) });
  if (bytes.length !== size) throw new Error('the archive is damaged');
  return bytes;
}
