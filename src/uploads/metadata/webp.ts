// A WebP without metadata: the chunks of the picture, of its frames and the colour profile. RFC 9649 section 2.
import { Unreadable } from '#cell/work.ts';
import {
  asText,
  describeRest,
  startCleaning,
  type Cleaning,
  type Describe,
} from '#uploads/metadata/cleaning.ts';
import { describeXmp } from '#uploads/metadata/descriptions.ts';
import { describeExif, exifWithOrientation, turnOf } from '#uploads/metadata/exif.ts';

interface Chunk {
  type: string;
  at: number;
  data: Buffer;
  /** Where the next one begins. */
  end: number;
}

type WebpCleaning = ReturnType<typeof startCleaning>;

const headerBytes = 12;
const chunkHeadBytes = 8;
/** The header of a frame, before its own chunks. */
const frameBytes = 16;
const flag = { exif: 0x08, xmp: 0x04 };
const ofPicture = ['VP8 ', 'VP8L', 'ALPH', 'ICCP', 'ANIM'];

export function cleanWebp(bytes: Buffer): Cleaning {
  // Some writers leave out the last padding byte, and count it.
  const end = Math.min(8 + bytes.readUInt32LE(4), bytes.length);
  if (8 + bytes.readUInt32LE(4) > bytes.length + 1) throw new Unreadable('ends within a chunk');
  const cleaning = startCleaning(bytes);
  const chunks = chunksIn(bytes, { from: headerBytes, to: end }, cleaning);
  const turn = orientationIn(chunks);
  let isTurnKept = false;
  for (const chunk of chunks) {
    const { type, at, data, end: next } = chunk;
    if (ofPicture.includes(type)) cleaning.keep(at, next);
    else if (type === 'VP8X') {
      const header = Buffer.from(bytes.subarray(at, next));
      if (header.length < 18) throw new Unreadable('has a header that is too short');
      header[8] = (header[8]! & ~(flag.exif | flag.xmp)) | (turn === undefined ? 0 : flag.exif);
      cleaning.replace(at, next, [header], () => []);
    } else if (type === 'ANMF' && data.length >= frameBytes) cleanFrame(bytes, chunk, cleaning);
    else if (type === 'EXIF' && turn !== undefined && !isTurnKept) {
      isTurnKept = true;
      cleaning.replace(at, next, [exifChunk(turn)], (block) =>
        describeExif(tiffOf(block.subarray(chunkHeadBytes))),
      );
    } else cleaning.drop(data, describeOf(type));
  }
  if (end < bytes.length) cleaning.drop(bytes.subarray(end), describeRest);
  const { pieces, isChanged, found } = cleaning.end();
  if (!isChanged) return { pieces: [bytes], isChanged, found };
  const header = Buffer.from(bytes.subarray(0, headerBytes));
  header.writeUInt32LE(4 + pieces.reduce((sum, { length }) => sum + length, 0), 4);
  return { pieces: [header, ...pieces], isChanged, found };
}

/** Its own chunks are those of a picture, and perhaps unknown ones. RFC 9649 2.7.1.1. */
function cleanFrame(bytes: Buffer, { at, data, end }: Chunk, cleaning: WebpCleaning): void {
  const from = at + chunkHeadBytes + frameBytes;
  const to = at + chunkHeadBytes + data.length;
  const inside = chunksIn(bytes, { from, to }, cleaning);
  if (inside.some(({ type }) => type === 'ANMF')) throw new Unreadable('has a frame within a frame');
  const isKept = ({ type }: Chunk): boolean => ofPicture.includes(type);
  if (inside.every(isKept)) return cleaning.keep(at, end);
  const header = Buffer.from(bytes.subarray(at, from));
  const keptBytes = inside.filter(isKept).reduce((sum, chunk) => sum + chunk.end - chunk.at, 0);
  header.writeUInt32LE(frameBytes + keptBytes, 4);
  cleaning.replace(at, from, [header], () => []);
  for (const chunk of inside) {
    // The last one may have no padding but the frame's.
    if (isKept(chunk)) cleaning.keep(chunk.at, chunk.end === to ? end : chunk.end);
    else cleaning.drop(chunk.data, describeOf(chunk.type));
  }
}

/** Each begins at an even place. */
function chunksIn(
  bytes: Buffer,
  { from, to }: { from: number; to: number },
  cleaning: WebpCleaning,
): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = from; at < to;) {
    cleaning.count();
    if (at + chunkHeadBytes > to) throw new Unreadable('ends within a chunk');
    const dataEnd = at + chunkHeadBytes + bytes.readUInt32LE(at + 4);
    if (dataEnd > to) throw new Unreadable('ends within a chunk');
    const end = Math.min(dataEnd + (dataEnd % 2), to);
    const data = bytes.subarray(at + chunkHeadBytes, dataEnd);
    chunks.push({ type: bytes.toString('latin1', at, at + 4), at, data, end });
    at = end;
  }
  return chunks;
}

/** The header comes before the metadata and says whether there is any, so it is searched first. */
function orientationIn(chunks: Chunk[]): number | undefined {
  // Without that header there can be no metadata, and nobody looks for it.
  if (!chunks.some(({ type }) => type === 'VP8X')) return undefined;
  for (const { type, data } of chunks) {
    const turn = type === 'EXIF' ? turnOf(tiffOf(data)) : undefined;
    if (turn !== undefined) return turn;
  }
  return undefined;
}

const describeOf = (type: string): Describe => {
  if (type === 'EXIF') return (data) => describeExif(tiffOf(data));
  return type === 'XMP ' ? describeXmp : asText;
};

/** Some writers put the name of JPEG's segment before it. */
const tiffOf = (data: Buffer): Buffer =>
  data.toString('latin1', 0, 6) === 'Exif\0\0' ? data.subarray(6) : data;

function exifChunk(turn: number): Buffer {
  const data = exifWithOrientation(turn);
  const head = Buffer.alloc(chunkHeadBytes);
  head.write('EXIF', 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data]);
}
