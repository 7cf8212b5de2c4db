// Counts the brackets, commas and colons of a JSON text as it arrives. A text of strings is parsed in milliseconds, but eight megabytes of
// brackets take more than a second, during which nobody else is answered. test/http/api/v2/bodies.test.ts.
import { invalid } from '#core/errors.ts';

const [quote, backslash, comma, colon, bracket, brace] = Buffer.from('"\\,:[{');

/** Returns a function that is given the text piece by piece, and throws when there are too many. */
export function createStructureLimit(most: number): (piece: Buffer) => void {
  let total = 0;
  let isInString = false;
  let isEscaped = false;
  return (piece) => {
    // By index and in local variables: four times as fast as over the piece itself.
    let [count, inString, escaped] = [total, isInString, isEscaped];
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at];
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === backslash) escaped = true;
        else if (byte === quote) inString = false;
      } else if (byte === quote) inString = true;
      else if (byte === comma || byte === colon || byte === bracket || byte === brace) count += 1;
    }
    [total, isInString, isEscaped] = [count, inString, escaped];
    if (total > most)
      throw invalid('body', `more than ${most} brackets, commas and colons; a request has far fewer`);
  };
}
