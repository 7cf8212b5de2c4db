// A tokenizer for CSS (CSS Syntax 3) that decodes escapes, and a serializer. Anything it cannot read becomes a `bad` token; comments
// become whitespace. It takes one pass and uses no pattern that could run long.

export type CssToken =
  | { kind: 'ident' | 'function' | 'at' | 'hash' | 'string' | 'url' | 'delim'; value: string }
  | { kind: 'number'; value: string; unit: string }
  | { kind: 'blank' | 'bad'; value: '' };

const blank: CssToken = { kind: 'blank', value: '' };
const bad: CssToken = { kind: 'bad', value: '' };

const numberPattern = /[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?/iy;
const escapePattern = /\\(?:[\da-f]{1,6}(?:\r\n|[ \t\n\r\f])?|[^])/iuy;

export function tokenizeCss(css: string): CssToken[] {
  const tokens: CssToken[] = [];
  let at = 0;

  const name = (): string => {
    const end = nameEnd(css, at);
    const raw = css.slice(at, end);
    at = end;
    return unescape(raw);
  };
  const pushBlank = (end: number): void => {
    at = end;
    if (tokens.at(-1) !== blank) tokens.push(blank);
  };

  while (at < css.length) {
    const character = css.charAt(at);
    const next = css.charAt(at + 1);
    if (isBlank(character)) pushBlank(at + 1);
    else if (css.startsWith('/*', at)) pushBlank(after(css, '*/', at + 2));
    else if (css.startsWith('<!--', at)) pushBlank(at + 4);
    else if (css.startsWith('-->', at)) pushBlank(at + 3);
    else if (character === '"' || character === "'") {
      const end = stringEnd(css, at);
      const isWhole = end === css.length || css.charAt(end) === character;
      tokens.push(isWhole ? { kind: 'string', value: unescape(css.slice(at + 1, end)) } : bad);
      at = isWhole ? end + 1 : end;
    } else if (startsNumber(css, at)) {
      numberPattern.lastIndex = at;
      const number = numberPattern.exec(css)?.[0] ?? '';
      at += number.length;
      let unit = '';
      if (css.charAt(at) === '%') [unit, at] = ['%', at + 1];
      else if (startsName(css, at)) unit = name();
      tokens.push({ kind: 'number', value: number, unit });
    } else if (startsName(css, at)) {
      const value = name();
      if (css.charAt(at) !== '(') {
        tokens.push({ kind: 'ident', value });
        continue;
      }
      at += 1;
      if (value.toLowerCase() !== 'url' || startsQuoted(css, at)) {
        tokens.push({ kind: 'function', value });
        continue;
      }
      const end = urlEnd(css, at);
      tokens.push(bareUrl(css.slice(at, end)));
      at = end + 1;
    } else if (character === '@' && startsName(css, at + 1)) {
      at += 1;
      tokens.push({ kind: 'at', value: name() });
    } else if (
      character === '#' &&
      (isNameCode(css.charCodeAt(at + 1)) || (next === '\\' && startsName(css, at + 1)))
    ) {
      at += 1;
      tokens.push({ kind: 'hash', value: name() });
    } else {
      tokens.push(character === '\\' ? bad : { kind: 'delim', value: character });
      at += 1;
    }
  }
  return tokens;
}

const isBlank = (character: string): boolean =>
  character === ' ' || character === '\n' || character === '\t' || character === '\r' || character === '\f';

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
const isNameStartCode = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f || code >= 0x80;
const isNameCode = (code: number): boolean => isNameStartCode(code) || isDigit(code) || code === 0x2d;
const isEscape = (css: string, at: number): boolean =>
  css.charAt(at) === '\\' && at + 1 < css.length && !'\n\r\f'.includes(css.charAt(at + 1));

function startsNumber(css: string, at: number): boolean {
  const sign = css.charAt(at) === '+' || css.charAt(at) === '-' ? 1 : 0;
  const point = css.charAt(at + sign) === '.' ? 1 : 0;
  return isDigit(css.charCodeAt(at + sign + point));
}

function startsName(css: string, at: number): boolean {
  const first = css.charAt(at) === '-' ? at + 1 : at;
  if (first > at && css.charAt(first) === '-') return true;
  return isNameStartCode(css.charCodeAt(first)) || isEscape(css, first);
}

function nameEnd(css: string, from: number): number {
  let at = from;
  for (;;) {
    if (isNameCode(css.charCodeAt(at))) at += 1;
    else if (isEscape(css, at)) at = escapeEnd(css, at);
    else return at;
  }
}

/** The index after a backslash and what it escapes: up to six hexadecimal digits and one whitespace character, or one character. */
function escapeEnd(css: string, from: number): number {
  escapePattern.lastIndex = from;
  return from + (escapePattern.exec(css)?.[0].length ?? 1);
}

/** The index of the closing quote, or of a line break, which breaks the string, or the end of the text, which closes it as well. */
function stringEnd(css: string, from: number): number {
  const quote = css.charAt(from);
  for (let at = from + 1; at < css.length; at += 1) {
    const character = css.charAt(at);
    if (character === '\\') at += 1;
    else if (character === quote || '\n\r\f'.includes(character)) return at;
  }
  return css.length;
}

function startsQuoted(css: string, from: number): boolean {
  let at = from;
  while (isBlank(css.charAt(at))) at += 1;
  return css.charAt(at) === '"' || css.charAt(at) === "'";
}

/** The index of the `)` that closes an unquoted `url(`, readable or not, or the end of the text, which closes it as well. */
function urlEnd(css: string, from: number): number {
  let at = from;
  while (at < css.length && css.charAt(at) !== ')') at = isEscape(css, at) ? escapeEnd(css, at) : at + 1;
  return at;
}

/** An unquoted `url()`. Escapes in it are rejected: a legitimate file can use a quoted one. */
function bareUrl(text: string): CssToken {
  const address = text.trim();
  return /["'(\\\s\0-\x1f\x7f]/.test(address) ? bad : { kind: 'url', value: address };
}

function after(css: string, mark: string, from: number): number {
  const found = css.indexOf(mark, from);
  return found < 0 ? css.length : found + mark.length;
}

function unescape(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replaceAll(
    /\\(?:([\da-f]{1,6})(?:\r\n|[ \t\n\r\f])?|(?:\r\n|[\n\r\f])|([^]))/giu,
    (_, hex?: string, literal?: string) => {
      if (hex === undefined) return literal ?? '';
      const code = Number.parseInt(hex, 16);
      const isCharacter = code !== 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
      return isCharacter ? String.fromCodePoint(code) : '\ufffd';
    },
  );
}

/** Text that tokenizes to exactly these tokens, with only the necessary escapes. */
export function serializeCss(tokens: readonly CssToken[]): string {
  let css = '';
  for (const token of tokens) css += serializeToken(token);
  return css;
}

function serializeToken(token: CssToken): string {
  switch (token.kind) {
    case 'blank':
      return ' ';
    case 'ident':
      return escapeName(token.value);
    case 'function':
      return `${escapeName(token.value)}(`;
    case 'at':
      return `@${escapeName(token.value)}`;
    case 'hash':
      return `#${token.value.replaceAll(notNameCharacter, hexEscape)}`;
    case 'string':
      return quote(token.value);
    case 'url':
      return /["'()\\\s\0-\x1f\x7f\ufffe\uffff]/.test(token.value)
        ? `url(${quote(token.value)})`
        : `url(${token.value})`;
    case 'number':
      return token.value + token.unit;
    case 'delim':
      return token.value;
    default:
      return '';
  }
}

/** XML cannot contain controls and non-characters, so those stay escaped too. */
const notNameCharacter = /[^\w\u00a0-\ufffd\u{10000}-\u{10ffff}-]/gu;
const hexEscape = (character: string): string => `\\${character.codePointAt(0)!.toString(16)} `;

function escapeName(name: string): string {
  if (/^-?[a-z_][\w-]*$/i.test(name)) return name;
  if (name === '-') return '\\-';
  return name
    .replaceAll(notNameCharacter, hexEscape)
    .replace(/^(-?)(\d)/, (_, dash: string, digit: string) => dash + hexEscape(digit));
}

function quote(text: string): string {
  return `"${text.replaceAll(/["\\\0-\x1f\x7f\ufffe\uffff]/gu, hexEscape)}"`;
}
