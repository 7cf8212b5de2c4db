// Refuses a text that cannot be a CSS selector, so that the client hears of a mistake at once. Whatever passes may still be none: the
// browser has the last word. Spec 10.
import { invalid } from '#core/errors.ts';

const closing: Record<string, string> = { '(': ')', '[': ']' };

export function checkSelector(text: string, field: string): void {
  const problem = problemIn(text.trim());
  if (problem !== undefined)
    throw invalid(
      field,
      `is not a CSS selector (${problem}); send one such as main > .price, not ${JSON.stringify(text.slice(0, 80))}`,
    );
}

function problemIn(text: string): string | undefined {
  if (text === '') return 'it is empty';
  // A comment may hold anything.
  if (text.includes('/*')) return undefined;
  if (/^[>+~,/]/.test(text)) return `it begins with ${text[0]}`;
  const open: string[] = [];
  let quote: string | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]!;
    if (character === '\\') at += 1;
    else if (quote !== undefined) {
      if (character === quote) quote = undefined;
    } else if (character === '"' || character === "'") quote = character;
    else if (closing[character] !== undefined) open.push(closing[character]);
    else if (character === ')' || character === ']') {
      if (open.pop() !== character) return `${character} closes nothing`;
    } else if ('{};<@!?%'.includes(character) || (character === '=' && open.at(-1) !== ']'))
      return `it has ${character}`;
    else if (open.length === 0 && /^[.#]\d/.test(text.slice(at, at + 2)))
      return 'a name after . or # begins with a digit; escape it';
  }
  if (quote !== undefined) return `${quote} is not closed`;
  if (open.length > 0) return `${open.at(-1)} is missing`;
  return /[>+~,]$/.test(text) && !/\\.$/.test(text) ? `it ends with ${text.at(-1)}` : undefined;
}
