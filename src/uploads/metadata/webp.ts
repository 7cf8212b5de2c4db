// A WebP without metadata: the chunks of the picture, of its frames and the colour profile. RFC 9649 section 2.
import {
  asText,
  describeRest,
  startCleaning,
  UnreadablePicture,
  type CleaningSteps,
} from '#uploads/metadata/cleaning.ts';
import { describeXmp } from '#uploads/metadata/descriptions.ts';
import { describeExif, exifWithOrientation, turnOf } from '#uploads/metadata/exif.ts';

const headerBytes = 12;
/** Of a frame, before its own chunks. */
const frameBytes = 16;
const flag = { exif: 0x08, xmp: 0x04 };
const ofPicture = ['VP8 ', 'VP8L', 'ALPH', 'ICCP', 'ANIM'];

export function* cleanWebp(bytes: Buffer): CleaningSteps {
  // Some writers leave out the last padding byte, and count it.
  const end = Math.min(8 + bytes.readUInt32LE(4), bytes.length);
  if (8 + bytes.readUInt32LE(4) > bytes.length + 1) throw new UnreadablePicture('ends within a chunk');
  const turn = yield* orientationIn(bytes, end);
  const body = yield* cleanChunks(bytes, { from: headerBytes, to: end }, turn);
  const rest = startCleaning(bytes);
  if (end < bytes.length) rest.drop(bytes.subarray(end), describeRest);
  const { isChanged, found } = rest.end();
  const all = found.union(body.found);
  if (!isChanged && !body.isChanged) return { pieces: [bytes], isChanged: false, found: all };
  const header = Buffer.from(bytes.subarray(0, headerBytes));
  header.writeUInt32LE(4 + lengthOf(body.pieces), 4);
  return { pieces: [header, ...body.pieces], isChanged: true, found: all };
}

/** A frame of an animation has chunks of its own, and says so without a `turn`. */
function* cleanChunks(
  bytes: Buffer,
  range: { from: number; to: number },
  turn: number | undefined,
): CleaningSteps {
  const cleaning = startCleaning(bytes);
  let isTurnKept = false;
  for (const { type, at, data, end } of chunks(bytes, range)) {
    cleaning.count();
    yield;
    if (ofPicture.includes(type)) cleaning.keep(at, end);
    else if (type === 'VP8X') {
      const header = Buffer.from(bytes.subarray(at, end));
      if (header.length < 18) throw new UnreadablePicture('has a header that is too short');
      header[8] = (header[8]! & ~(flag.exif | flag.xmp)) | (turn === undefined ? 0 : flag.exif);
      cleaning.replace(at, end, [header], () => []);
    } else if (type === 'ANMF' && data.length >= frameBytes) {
      const inside = yield* cleanChunks(
        bytes,
        { from: at + 8 + frameBytes, to: at + 8 + data.length },
        undefined,
      );
      if (inside.isChanged) {
        const header = Buffer.from(bytes.subarray(at, at + 8 + frameBytes));
        header.writeUInt32LE(frameBytes + lengthOf(inside.pieces), 4);
        cleaning.replace(at, end, [header, ...inside.pieces], () => inside.found);
      } else cleaning.keep(at, end);
    } else if (type === 'EXIF') {
      const kept: Buffer[] =
        turn === undefined || isTurnKept ? [] : [chunk('EXIF', exifWithOrientation(turn))];
      isTurnKept ||= kept.length > 0;
      cleaning.replace(at, end, kept, (block) => describeExif(tiffOf(block.subarray(8))));
    } else cleaning.drop(data, type === 'XMP ' ? describeXmp : asText);
  }
  return cleaning.end();
}

/** Each begins at an even place. */
function* chunks(bytes: Buffer, { from, to }: { from: number; to: number }) {
  for (let at = from; at < to;) {
    if (at + 8 > to) throw new UnreadablePicture('ends within a chunk');
    const dataEnd = at + 8 + bytes.readUInt32LE(at + 4);
    if (dataEnd > to) throw new UnreadablePicture('ends within a chunk');
    const end = Math.min(dataEnd + (dataEnd % 2), to);
    yield { type: bytes.toString('latin1', at, at + 4), at, data: bytes.subarray(at + 8, dataEnd), end };
    at = end;
  }
}

/** The header comes before the metadata and says whether there is any, so it is searched first. */
function* orientationIn(bytes: Buffer, end: number): Generator<void, number | undefined, void> {
  let [isExtended, turn] = [false, undefined as number | undefined];
  for (const { type, data } of chunks(bytes, { from: headerBytes, to: end })) {
    yield;
    isExtended ||= type === 'VP8X';
    if (type === 'EXIF') turn ??= turnOf(tiffOf(data));
  }
  // Without that header there can be no metadata, and nobody looks for it.
  return isExtended ? turn : undefined;
}

/** Some writers put the name of JPEG's segment before it. */
const tiffOf = (data: Buffer): Buffer =>
  data.toString('latin1', 0, 6) === 'Exif\0\0' ? data.subarray(6) : data;

function chunk(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data]);
}

const lengthOf = (pieces: Buffer[]): number => pieces.reduce((sum, { length }) => sum + length, 0);
