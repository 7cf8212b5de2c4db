// A GIF without metadata: its frames, their timing, the number of loops and the colour profile. GIF89a sections 17 to 27.
import { Unreadable } from '#cell/work.ts';
import { asText, describeRest, startCleaning, type Cleaning } from '#uploads/metadata/cleaning.ts';
import { describeXmp } from '#uploads/metadata/descriptions.ts';

const headerBytes = 13;
const [imageBlock, extension, trailer] = [0x2c, 0x21, 0x3b];
const [graphicControl, application] = [0xf9, 0xff];
const emptyBlock = Buffer.of(0);
/** The length of an application's name with its version. */
const nameBytes = 11;
const loops = ['NETSCAPE2.0', 'ANIMEXTS1.0'];
const keptApplications = [...loops, 'ICCRGBG1012'];
/** The usual lengths of the timing of a frame and of the number of loops: no decoder reads more of them. */
const timingBytes = 7;
const loopBytes = 18;

export function cleanGif(bytes: Buffer): Cleaning {
  const cleaning = startCleaning(bytes);
  if (bytes.length < headerBytes) throw new Unreadable('ends within its header');
  let at = headerBytes + tableBytes(bytes[10]!);
  if (at > bytes.length) throw new Unreadable('ends within its colour table');
  cleaning.keep(0, at);
  while (at < bytes.length) {
    cleaning.count();
    const block = bytes[at];
    if (block === imageBlock) {
      if (at + 10 > bytes.length) throw new Unreadable('ends within a frame');
      const end = endOfBlocks(bytes, at + 11 + tableBytes(bytes[at + 9]!));
      cleaning.keep(at, end);
      at = end;
    } else if (block === extension) {
      const end = endOfBlocks(bytes, at + 2);
      const isNamed = bytes[at + 1] === application && bytes[at + 2] === nameBytes;
      const name = isNamed ? bytes.toString('latin1', at + 3, at + 3 + nameBytes) : '';
      const first = (length: number): Buffer => Buffer.concat([bytes.subarray(at, at + length), emptyBlock]);
      if (bytes[at + 1] === graphicControl && bytes[at + 2] === 4)
        cleaning.replace(at, end, [first(timingBytes)], asText);
      else if (loops.includes(name) && bytes[at + 14] === 3)
        cleaning.replace(at, end, [first(loopBytes)], asText);
      else if (bytes[at + 1] === graphicControl || keptApplications.includes(name)) cleaning.keep(at, end);
      else cleaning.drop(bytes.subarray(at, end), name === 'XMP DataXMP' ? describeXmp : asText);
      at = end;
    } else {
      // Decoders stop here, whether the byte is the end or not.
      if (block === trailer) cleaning.keep(at, at + 1);
      const rest = bytes.subarray(block === trailer ? at + 1 : at);
      if (rest.length > 0) cleaning.drop(rest, describeRest);
      break;
    }
  }
  return cleaning.end();
}

const tableBytes = (packed: number): number => ((packed & 0x80) === 0 ? 0 : 3 * 2 ** ((packed & 7) + 1));

/** Blocks of up to 255 bytes, each after its length, end with an empty one. */
function endOfBlocks(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length;) {
    const length = bytes[at]!;
    at += length + 1;
    if (length === 0) return at;
  }
  throw new Unreadable('ends within a block');
}
