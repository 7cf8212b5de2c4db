// Joins the chunks of a chunked body before Node's HTTP parser sees them. The parser calls JavaScript for each chunk: 64 KiB in
// chunks of one byte would keep the event loop busy for 30 ms. What is not chunked is passed on, for the parser to refuse. RFC 9112 7.1.

interface JoinedChunks {
  /** For the parser. */
  pieces: Buffer[];
  /** The number of bytes that became these pieces: all, as long as the state is `open`. */
  usedBytes: number;
  /**
   * `ended` after the line of the last chunk, before the trailers; `broken` if the bytes are not chunks; `too fine` if the chunks are
   * so many and so small that the work is their framing.
   */
  state: 'open' | 'ended' | 'broken' | 'too fine';
}

/** A client may send this many chunks of any size, such as the lines of a small file. */
const freeChunks = 1_000;
/** What more chunks must have on average. Below it, a quarter of the bytes is framing. */
const leastAverageBytes = 16;
/** The parser refuses a chunk of this size, with the same digit. */
const tooManyBytes = 2 ** 64;
/** Up to this number a loop copies faster than a call does. */
const fewBytes = 32;

/** What the next byte belongs to. Numbers, because they are compared for every byte of the framing. */
const [inSize, inExtension, inLineEnd, inData, afterData, inChunkEnd] = [0, 1, 2, 3, 4, 5];
const [tab, lineFeed, carriageReturn, space, semicolon, del] = [9, 10, 13, 32, 59, 127];
/** The value of each hexadecimal digit, and -1 for other characters. */
const digits = new Int8Array(256).fill(-1);
for (const digit of '0123456789abcdefABCDEF') digits[digit.charCodeAt(0)] = Number.parseInt(digit, 16);

/** The function prepares bytes for the parser, in place: the chunks that are complete in them become one. */
export function createChunkJoiner(): (bytes: Buffer) => JoinedChunks {
  let place = inSize;
  let hasDigits = false;
  /** The size of the current chunk; then how many of its bytes are missing. */
  let size = 0;
  let chunks = 0;
  let totalBytes = 0;

  return (bytes) => {
    const { length } = bytes;
    let state: JoinedChunks['state'] = 'open';
    let at = 0;
    let complete = 0;
    /** Where the first chunk that begins in these bytes begins, and where the last complete one ends. */
    let [first, last] = [-1, -1];
    /** Where the content of the current chunk begins; where the joined content begins and ends. */
    let [dataStart, joinedStart, joinedEnd] = [-1, -1, -1];

    while (at < length && state === 'open') {
      if (place === inData) {
        const present = Math.min(size, length - at);
        at += present;
        size -= present;
        if (size === 0) place = afterData;
        continue;
      }
      const byte = bytes[at]!;
      at += 1;
      if (place === inSize) {
        const digit = digits[byte]!;
        if (digit >= 0) {
          if (!hasDigits && first === -1) first = at - 1;
          size = (hasDigits ? size * 16 : 0) + digit;
          hasDigits = true;
          if (size >= tooManyBytes) state = 'broken';
        } else if (hasDigits && byte === carriageReturn) place = inLineEnd;
        else if (hasDigits && byte === semicolon) place = inExtension;
        else state = 'broken';
      } else if (place === inExtension) {
        // RFC 9112 7.1.1: an unknown extension is ignored.
        if (byte === carriageReturn) place = inLineEnd;
        else if ((byte < space && byte !== tab) || byte === del) state = 'broken';
      } else if (place === inLineEnd) {
        if (byte !== lineFeed) state = 'broken';
        else if (size === 0) state = 'ended';
        else {
          place = inData;
          dataStart = at;
          chunks += 1;
          totalBytes += size;
          if (chunks > freeChunks && totalBytes < chunks * leastAverageBytes) state = 'too fine';
        }
      } else if (place === afterData) {
        if (byte === carriageReturn) place = inChunkEnd;
        else state = 'broken';
      } else if (byte === lineFeed) {
        place = inSize;
        hasDigits = false;
        // The chunk began in earlier bytes, which the parser has.
        if (first === -1) continue;
        complete += 1;
        last = at;
        if (complete === 1) joinedStart = joinedEnd = dataStart;
        joinedEnd = move(bytes, dataStart, at - 2, joinedEnd);
      } else state = 'broken';
    }

    if (complete < 2) return { pieces: [bytes.subarray(0, at)], usedBytes: at, state };
    const content = bytes.subarray(joinedStart, joinedEnd);
    const line = Buffer.from(`${content.length.toString(16)}\r\n`, 'latin1');
    const lineBreakAndRest = bytes.subarray(last - 2, at);
    const pieces = [line, content, lineBreakAndRest];
    return { pieces: first > 0 ? [bytes.subarray(0, first), ...pieces] : pieces, usedBytes: at, state };
  };
}

/** Moves a range to the left; returns the end of the copy. */
function move(bytes: Buffer, start: number, end: number, to: number): number {
  const length = end - start;
  if (start === to) return end;
  if (length > fewBytes) bytes.copyWithin(to, start, end);
  else for (let at = 0; at < length; at += 1) bytes[to + at] = bytes[start + at]!;
  return to + length;
}
