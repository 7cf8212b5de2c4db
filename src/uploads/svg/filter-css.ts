// Filters a stylesheet, a style attribute or a CSS value: keeps what is on the allow-list and nothing that loads anything. `url()` may
// refer only to a fragment of the same document or, in a font face, to a font embedded in the file.
import {
  cssFunctions,
  cssProperties,
  fontFaceDescriptors,
  fontFaceFunctions,
  fontMediaTypes,
} from '#uploads/svg/allow-list.ts';
import { createBoundedMap } from '#core/bounded-map.ts';
import { serializeCss, tokenizeCss } from '#uploads/svg/css-tokens.ts';
import type { CssToken } from '#uploads/svg/css-tokens.ts';

const maxRuleDepth = 8;
const openers: Record<string, string> = { '(': ')', '[': ']', '{': '}' };
const closers = new Set(Object.values(openers));
const selectorDelims = new Set('.,>+~*=|^$:()[]&'.split(''));
const preludeDelims = new Set(':,()<>=/'.split(''));
const valueDelims = new Set(',/+-*()[]=?'.split(''));
const keyframes = new Set(['keyframes', '-webkit-keyframes']);
const conditions = new Set(['media', 'supports']);
const paints = new Set(['fill', 'stroke']);
/** Other properties that refer to an element. */
const references = new Set('clip-path filter marker marker-end marker-mid marker-start mask'.split(' '));
const none: CssToken = { kind: 'ident', value: 'none' };

export function filterStylesheet(css: string): string {
  return filterRules(tokenizeCss(css), 0);
}

const declarations = remembered((_, css) => filterBlock(tokenizeCss(css), filterDeclaration));
export const filterDeclarations = (css: string): string => declarations('style', css);

/** The value of a property, from an attribute; undefined if it must be removed. */
export function filterValue(property: string, css: string): string | undefined {
  // Without a parenthesis there is no function, and without a backslash none can be hidden.
  return css.includes('(') || css.includes('\\') ? filterFunctions(property, css) : css;
}

/**
 * The `values` of an animation. Browsers cut the list at every semicolon before they read CSS, so also in the middle of a string; no
 * value may therefore contain one.
 */
export function filterValues(property: string, list: string): string | undefined {
  const values = list.split(';').map((value) => filterValue(property, value));
  return values.every((value) => value !== undefined && !value.includes(';')) ? values.join(';') : undefined;
}

const filterFunctions = remembered((property, css) => {
  const tokens = cleanValue(property, trim(tokenizeCss(css)));
  return tokens === undefined ? undefined : serializeCss(tokens);
});

/** Caches results: drawing programs write the same few styles thousands of times. */
function remembered<Filtered>(
  filter: (property: string, css: string) => Filtered,
): (property: string, css: string) => Filtered {
  const known = createBoundedMap<string, Filtered>(2000);
  return (property, css) => {
    if (css.length > 500) return filter(property, css);
    const key = `${property}:${css}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const filtered = filter(property, css);
    known.set(key, filtered);
    return filtered;
  };
}

function filterRules(tokens: CssToken[], depth: number): string {
  let css = '';
  for (let at = 0; at < tokens.length;) {
    const first = tokens[at]!;
    if (first.kind === 'blank') {
      at += 1;
      continue;
    }
    const isAtRule = first.kind === 'at';
    const start = findClosing(
      tokens,
      at,
      (token) => isDelim(token, '{') || (isAtRule && isDelim(token, ';')),
    );
    // At-rules without a block (`@import` and the like) load or declare things; none is needed.
    if (start >= tokens.length || isDelim(tokens[start], ';')) {
      at = start + 1;
      continue;
    }
    const end = findClosing(tokens, start + 1, (token) => isDelim(token, '}'));
    const prelude = trim(tokens.slice(at, start));
    const block = tokens.slice(start + 1, end);
    css += isAtRule
      ? filterAtRule(first.value.toLowerCase(), prelude, block, depth)
      : filterRule(prelude, block);
    at = end + 1;
  }
  return css;
}

function filterRule(selector: CssToken[], block: CssToken[]): string {
  if (!isClean(selector, (delim) => selectorDelims.has(delim))) return '';
  const declarations = filterBlock(block, filterDeclaration);
  return declarations === '' ? '' : `${serializeCss(selector)}{${declarations}}`;
}

function filterAtRule(name: string, prelude: CssToken[], block: CssToken[], depth: number): string {
  if (name === 'font-face') {
    const declarations = filterBlock(block, filterFontDescriptor);
    return declarations === '' ? '' : `@font-face{${declarations}}`;
  }
  const rest = prelude.slice(1);
  if (!(keyframes.has(name) || conditions.has(name)) || depth >= maxRuleDepth) return '';
  if (!isClean(rest, (delim) => conditions.has(name) && preludeDelims.has(delim))) return '';
  if (conditions.has(name) && looksLikeMarkup(rest)) return '';
  const rules = filterRules(block, depth + 1);
  return rules === '' ? '' : `@${name}${serializeCss(rest)}{${rules}}`;
}

/** A condition may contain `<` as a comparison but no strings. A tag would be harmless here, but not for a less careful parser. */
function looksLikeMarkup(condition: CssToken[]): boolean {
  return condition.some(
    (token, at) =>
      token.kind === 'string' || (isDelim(token, '<') && /^[a-z/]/i.test(condition[at + 1]?.value ?? '')),
  );
}

function filterBlock(
  tokens: CssToken[],
  filter: (name: string, value: CssToken[]) => CssToken[] | undefined,
): string {
  const kept: string[] = [];
  for (const declaration of split(tokens, ';')) {
    const [name, ...rest] = trim(declaration);
    if (name?.kind !== 'ident') continue;
    const colon = rest[0]?.kind === 'blank' ? 1 : 0;
    if (!isDelim(rest[colon], ':')) continue;
    const property = name.value.startsWith('--') ? name.value : name.value.toLowerCase();
    const value = filter(property, trim(rest.slice(colon + 1)));
    if (value !== undefined)
      kept.push(`${serializeCss([{ kind: 'ident', value: property }])}:${serializeCss(value)}`);
  }
  return kept.join(';');
}

function filterDeclaration(name: string, value: CssToken[]): CssToken[] | undefined {
  if (!name.startsWith('--') && !cssProperties.has(name)) return undefined;
  const bang = value.findIndex((token) => isDelim(token, '!'));
  const plain = cleanValue(name, trim(bang < 0 ? value : value.slice(0, bang)));
  if (plain === undefined || bang < 0) return plain;
  const [importance, ...more] = trim(value.slice(bang + 1));
  if (importance?.value.toLowerCase() !== 'important' || more.length > 0) return undefined;
  return [...plain, { kind: 'delim', value: '!' }, { kind: 'ident', value: 'important' }];
}

/** Keeps those of several sources that are embedded in the file or installed on the system. */
function filterFontDescriptor(name: string, value: CssToken[]): CssToken[] | undefined {
  if (!fontFaceDescriptors.has(name)) return undefined;
  if (name !== 'src') return cleanValue(name, value);
  const sources = split(value, ',').flatMap((source) => {
    const kept = cleanValue(name, trim(source), fontFaceFunctions, isFontData);
    return kept === undefined || kept.length === 0 ? [] : [kept];
  });
  return sources.length === 0
    ? undefined
    : sources.flatMap((source, place) => (place === 0 ? source : [comma, ...source]));
}

const comma: CssToken = { kind: 'delim', value: ',' };

function isFontData(address: string): boolean {
  const comma = address.indexOf(',');
  const [, type = ''] =
    /^data:([a-z\d/.+-]+);(?:charset=utf-8;)?base64$/i.exec(address.slice(0, Math.max(comma, 0))) ?? [];
  return fontMediaTypes.has(type.toLowerCase()) && /^[a-z\d+/=]*$/i.test(address.slice(comma + 1));
}

/** No id looks like another address; a parser that is less careful with quotes could find it. */
const isFragment = (address: string): boolean => address.startsWith('#') && !/url\s*\(/i.test(address);

/** The tokens, with every `url("…")` merged into one token; undefined if one of them is not allowed. */
function cleanValue(
  property: string,
  tokens: CssToken[],
  functions: ReadonlySet<string> = cssFunctions,
  allowsUrl: (address: string) => boolean = isFragment,
): CssToken[] | undefined {
  const joined = joinUrls(tokens);
  const [first] = joined;
  const value =
    first?.kind === 'url' && !allowsUrl(first.value) ? valueWithout(property, trim(joined.slice(1))) : joined;
  for (const token of value ?? []) {
    if (token.kind === 'url' && !allowsUrl(token.value)) return undefined;
    if (token.kind === 'function' && !functions.has(token.value.toLowerCase())) return undefined;
  }
  return value && isClean(value, (delim) => valueDelims.has(delim), true) ? closed(value) : undefined;
}

/**
 * What a browser shows for a value whose first reference leads nowhere: the fallback of a paint, otherwise nothing. Without a value
 * the shape would get the one around it, or black.
 */
function valueWithout(property: string, rest: CssToken[]): CssToken[] | undefined {
  if (paints.has(property) && rest.length > 0) return rest;
  return rest.length === 0 && (paints.has(property) || references.has(property)) ? [none] : undefined;
}

function joinUrls(tokens: CssToken[]): CssToken[] {
  const joined: CssToken[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at]!;
    if (token.kind !== 'function' || token.value.toLowerCase() !== 'url') {
      joined.push(token);
      continue;
    }
    if (tokens[at + 1]?.kind === 'blank') at += 1;
    const address = tokens[at + 1];
    const close = tokens[at + 2]?.kind === 'blank' ? at + 3 : at + 2;
    const isPlain = address?.kind === 'string' && (close === tokens.length || isDelim(tokens[close], ')'));
    joined.push(isPlain ? { kind: 'url', value: address.value.trim() } : { kind: 'bad', value: '' });
    if (isPlain) at = close;
  }
  return joined;
}

function isClean(tokens: CssToken[], allowsDelim: (delim: string) => boolean, allowsUrls = false): boolean {
  return tokens.every((token) => {
    if (token.kind === 'bad' || token.kind === 'at') return false;
    if (token.kind === 'url') return allowsUrls;
    if (token.kind === 'function') return allowsUrls || !/^(?:url|src)$/i.test(token.value);
    // A unit written with escapes could be read back as part of the number; `n-1` is for `:nth-child(2n-1)`.
    if (token.kind === 'number') return /^(?:%|[a-z]*|n-\d*)$/i.test(token.unit);
    return token.kind !== 'delim' || allowsDelim(token.value);
  });
}

/** The tokens with every bracket closed: at the end of the text, open ones count as closed. Undefined if one closes nothing. */
function closed(tokens: CssToken[]): CssToken[] | undefined {
  const expected: string[] = [];
  for (const token of tokens) {
    const closer = closerOf(token);
    if (closer !== undefined) expected.push(closer);
    else if (token.kind === 'delim' && closers.has(token.value) && expected.pop() !== token.value)
      return undefined;
  }
  return [...tokens, ...expected.toReversed().map((value): CssToken => ({ kind: 'delim', value }))];
}

function closerOf(token: CssToken): string | undefined {
  if (token.kind === 'function') return ')';
  return token.kind === 'delim' ? openers[token.value] : undefined;
}

function isDelim(token: CssToken | undefined, value: string): boolean {
  return token?.kind === 'delim' && token.value === value;
}

/** The index of the first token outside inner blocks that `isEnd` accepts, or the end. */
function findClosing(tokens: CssToken[], from: number, isEnd: (token: CssToken) => boolean): number {
  const expected: string[] = [];
  for (let at = from; at < tokens.length; at += 1) {
    const token = tokens[at]!;
    if (expected.length === 0 && isEnd(token)) return at;
    const closer = closerOf(token);
    if (closer !== undefined) expected.push(closer);
    else if (expected.length > 0 && isDelim(token, expected.at(-1)!)) expected.pop();
  }
  return tokens.length;
}

function split(tokens: CssToken[], separator: string): CssToken[][] {
  const parts: CssToken[][] = [];
  for (let at = 0; at <= tokens.length;) {
    const end = findClosing(tokens, at, (token) => isDelim(token, separator));
    parts.push(tokens.slice(at, end));
    at = end + 1;
  }
  return parts;
}

function trim(tokens: CssToken[]): CssToken[] {
  const start = tokens[0]?.kind === 'blank' ? 1 : 0;
  const end = tokens.length > start && tokens.at(-1)?.kind === 'blank' ? -1 : tokens.length;
  return start === 0 && end === tokens.length ? tokens : tokens.slice(start, end);
}
