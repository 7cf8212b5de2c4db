// Counts the brackets, commas and colons of a JSON text. A text of strings is parsed in milliseconds, but eight megabytes of brackets take
// more than a second. test/api/v2/bodies.test.ts.
import { invalid } from '#core/errors.ts';

const [quote, backslash, comma, colon, bracket, brace] = Buffer.from('"\\,:[{');

export function limitStructure(text: Buffer, most: number): void {
  let [count, isInString] = [0, false];
  // By index: four times as fast as over the bytes themselves.
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at];
    if (isInString) {
      if (byte === backslash) at += 1;
      else if (byte === quote) isInString = false;
    } else if (byte === quote) isInString = true;
    else if (byte === comma || byte === colon || byte === bracket || byte === brace) count += 1;
  }
  if (count > most)
    throw invalid('body', `more than ${most} brackets, commas and colons; a request has far fewer`);
}
