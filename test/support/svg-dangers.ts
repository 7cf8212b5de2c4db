// Reads an SVG with none of the sanitizer's own tables and lists what in it could run or load something.
import { SaxesParser } from 'saxes';

const svgNamespace = 'http://www.w3.org/2000/svg';

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
      if (
        /href/i.test(local) &&
        !/^(?:#|data:image\/(?:png|jpe?g|gif|webp|avif);base64,[\w+/=]*$)/.test(value)
      ) {
        dangers.push(`${name}="${value.slice(0, 50)}"`);
      }
      if (tag.local === 'a' && /href/i.test(local)) dangers.push('<a> with a link');
      if (local === 'attributeName' && /href|style|^\W*on|:/i.test(value))
        dangers.push(`attributeName="${value}"`);
      if (!/^(?:id|class|xmlns.*|data-.*|aria-.*)$/.test(name)) dangers.push(...dangersInCss(value));
    }
  });
  parser.on('closetag', (tag) => {
    if (tag.local === 'style') dangers.push(...dangersInCss(style));
  });
  parser.write(text).close();
  return dangers;
}

function dangersInCss(css: string): string[] {
  const plain = css.replaceAll(/\\([\da-f]{1,6})\s?/gi, (_, hex: string) =>
    String.fromCodePoint(Number.parseInt(hex, 16)),
  );
  const dangers = [
    .../@import|@charset|@namespace|expression\s*\(|behavior|-moz-binding|image-set|javascript:|progid/gi[
      Symbol.matchAll
    ](plain),
  ];
  const addresses = /\b(?:url|src|image|element|attr)\s*\(\s*["']?(?!#|data:font\/)[^)]{0,40}/gi[
    Symbol.matchAll
  ](plain);
  return [...dangers, ...addresses].map(([match]) => match);
}
