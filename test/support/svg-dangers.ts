// Parses an SVG without the sanitizer's tables and lists what in it could run or load something.
import { SaxesParser } from 'saxes';

const svgNamespace = 'http://www.w3.org/2000/svg';

/** Names, numbers and lists of them: their values are never loaded or run, whatever they look like. */
const inertAttributes =
  /^(?:id|class|xmlns.*|data-.*|aria-.*|xml:(?:space|lang)|width|height|[dcr]?[xy]|[xy][12]|f[xyr]|r|d|points|path|viewBox|version|.*[tT]ransform|preserveAspectRatio|type|begin|end|dur|repeat.*|keyTimes|.*Units|systemLanguage|requiredExtensions)$/;

const embeddedSvg = 'data:image/svg+xml;base64,';

export function dangersIn(text: string): string[] {
  const dangers: string[] = [];
  let style = '';
  const parser = new SaxesParser({ xmlns: true });
  parser.on('error', (error) => dangers.push(error.message));
  parser.on('doctype', () => dangers.push('doctype'));
  parser.on('processinginstruction', ({ target }) => dangers.push(`<?${target}`));
  parser.on('comment', () => dangers.push('comment'));
  parser.on('cdata', () => dangers.push('CDATA'));
  parser.on('text', (characters) => {
    style += characters;
  });
  parser.on('opentag', (tag) => {
    style = '';
    if (tag.uri !== svgNamespace) dangers.push(`<${tag.name}> of ${tag.uri}`);
    if (
      /script|foreign|iframe|object|embed|audio|video|handler|listener|link|include|cursor|font|profile|tref/i.test(
        tag.local,
      )
    ) {
      dangers.push(`<${tag.name}>`);
    }
    for (const { name, local, uri, value } of Object.values(tag.attributes)) {
      if (/^on/i.test(local)) dangers.push(name);
      if (/^(?:base|src|action|formaction|ping|target|srcdoc|is|nonce)$/i.test(local)) dangers.push(name);
      if (uri !== '' && !/^(?:xmlns|xmlns:xlink|xlink:href|xml:space|xml:lang)$/.test(name))
        dangers.push(name);
      if (/href/i.test(local) && value.startsWith(embeddedSvg)) {
        const inside = Buffer.from(value.slice(embeddedSvg.length), 'base64').toString();
        dangers.push(...dangersIn(inside).map((danger) => `inside: ${danger}`));
      } else if (
        /href/i.test(local) &&
        !/^(?:#|data:image\/(?:png|jpe?g|gif|webp|avif);base64,[\w+/=]*$)/.test(value)
      ) {
        dangers.push(`${name}="${value.slice(0, 50)}"`);
      }
      if (tag.local === 'a' && /href/i.test(local)) dangers.push('<a> with a link');
      if (local === 'attributeName' && /href|style|^\W*on|:/i.test(value))
        dangers.push(`attributeName="${value}"`);
      if (name === 'style') dangers.push(...dangersInCss(value));
      else if (!inertAttributes.test(name)) dangers.push(...addressesInCss(value));
    }
  });
  parser.on('closetag', (tag) => {
    if (tag.local === 'style') dangers.push(...dangersInCss(style));
  });
  parser.write(text).close();
  return dangers;
}

function dangersInCss(css: string): string[] {
  const dangers = /@import|@charset|@namespace|expression\s*\(|behavior|-moz-binding|javascript:|progid/gi[
    Symbol.matchAll
  ](unescaped(css));
  return [...[...dangers].map(([match]) => match), ...addressesInCss(css)];
}

function addressesInCss(css: string): string[] {
  const addresses = /\bimage-set|\b(?:url|src|image|element|attr)\s*\(\s*["']?(?!#|data:font\/)[^)]{0,40}/gi[
    Symbol.matchAll
  ](unescaped(css));
  return [...addresses].map(([match]) => match);
}

const unescaped = (css: string): string =>
  css.replaceAll(/\\([\da-f]{1,6})\s?/gi, (_, hex: string) => {
    const point = Number.parseInt(hex, 16);
    return point > 0x10ffff ? '\ufffd' : String.fromCodePoint(point);
  });
