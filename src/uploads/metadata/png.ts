// A PNG without metadata: the chunks that say how it looks, animated or not. PNG 3 sections 5 and 11.
import { Unreadable } from '#cell/work.ts';
import { crc32 } from 'node:zlib';
import {
  asText,
  describeRest,
  harmless,
  startCleaning,
  type Cleaning,
  type Describe,
} from '#uploads/metadata/cleaning.ts';
import { describeKeyword } from '#uploads/metadata/descriptions.ts';
import { describeExif, exifWithOrientation, turnOf } from '#uploads/metadata/exif.ts';

const codeOf = (type: string): number => Buffer.from(type, 'latin1').readUInt32BE(0);

const signatureBytes = 8;
const [end, exif] = [codeOf('IEND'), codeOf('eXIf')];
/** With Apple's mark of its own variant. */
const kept = new Set(
  'CgBI IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP cICP mDCV cLLI sBIT bKGD pHYs hIST acTL fcTL fdAT'
    .split(' ')
    .map(codeOf),
);
/** Chunks that are removed; any other is a text. */
const removed = new Map<number, Describe>([
  ...['tEXt', 'zTXt', 'iTXt'].map((type) => [codeOf(type), describeKeyword] as const),
  [codeOf('tIME'), () => ['time']],
  ...['sPLT', 'oFFs', 'pCAL', 'sCAL', 'sTER', 'iDOT', 'vpAg'].map(
    (type) => [codeOf(type), harmless] as const,
  ),
]);

export function cleanPng(bytes: Buffer): Cleaning {
  const cleaning = startCleaning(bytes);
  let isTurnKept = false;
  cleaning.keep(0, signatureBytes);
  for (let at = signatureBytes; at < bytes.length;) {
    cleaning.count();
    if (at + 12 > bytes.length) throw new Unreadable('ends within a chunk');
    const next = at + 12 + bytes.readUInt32BE(at);
    if (next > bytes.length) throw new Unreadable('ends within a chunk');
    const code = bytes.readUInt32BE(at + 4);
    if (kept.has(code)) cleaning.keep(at, next);
    else if (code === exif) {
      const turn: number | undefined = isTurnKept ? undefined : turnOf(bytes.subarray(at + 8, next - 4));
      isTurnKept ||= turn !== undefined;
      const chunks = turn === undefined ? [] : [chunk(exif, exifWithOrientation(turn))];
      cleaning.replace(at, next, chunks, (block) => describeExif(block.subarray(8)));
    } else cleaning.drop(bytes.subarray(at + 8, next - 4), removed.get(code) ?? asText);
    at = next;
    if (code !== end) continue;
    if (at < bytes.length) cleaning.drop(bytes.subarray(at), describeRest);
    break;
  }
  return cleaning.end();
}

function chunk(code: number, data: Buffer): Buffer {
  const whole = Buffer.alloc(data.length + 12);
  whole.writeUInt32BE(data.length, 0);
  whole.writeUInt32BE(code, 4);
  data.copy(whole, 8);
  whole.writeUInt32BE(crc32(whole.subarray(4, data.length + 8)), data.length + 8);
  return whole;
}
