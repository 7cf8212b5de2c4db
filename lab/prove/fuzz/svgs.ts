// SVGs through the whole service: the fixtures, cut, combined and mixed with hostile pieces, and new ones generated from a
// grammar. Whatever is stored is read back and searched for dangers by a separate parser. Spec 4.1.2.
import { expectStatus, words, type Generator } from '#lab/prove/fuzz/case.ts';
import { formCase } from '#lab/prove/fuzz/forms.ts';
import type { Random } from '#lab/prove/fuzz/random.ts';
import { dangersIn } from '#test/support/svg-dangers.ts';
import { svgFixtures } from '#test/support/svg-fixtures.ts';

const small = ({ bytes }: { bytes: Buffer }): boolean => bytes.length < 20_000;
const ordinary = svgFixtures('ordinary').filter(small);
const hostile = svgFixtures('hostile').filter(small);
const all = [...ordinary, ...hostile];

const elements = words(`
  g rect circle path text tspan use image a style script foreignObject defs symbol animate set filter feImage
  mask pattern linearGradient switch iframe svg title desc metadata x:script SCRIPT handler animateTransform
  marker view textPath mpath
`);
const attributes = words(`
  id href xlink:href onload onclick ONLOAD style fill class width height d transform attributeName to values
  from begin xml:base xmlns xmlns:x filter mask clip-path src target x:href data-x type requiredExtensions
  systemLanguage cursor marker-end xml:space
`);
const values = [
  '',
  '10',
  '#a',
  'url(#a)',
  'url(http://127.0.0.1/x)',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java&#9;script:alert(1)',
  '&#106;avascript:x',
  'data:text/html,<script>x</script>',
  'data:image/png;base64,AAAA',
  'data:image/svg+xml;base64,AAAA',
  'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" onload="x"><image href="//x"/></svg>',
  'data:;base64,iVBORw0KGgo=',
  'none;"a;url(http://127.0.0.1/x#a);b"',
  'url("#a;url(//x);b")',
  'url(http://127.0.0.1/x#a) red',
  'url(#a',
  '//evil.example/x',
  'http://evil.example/',
  'fill:url(//x)',
  'background:u\\72l(http://x)',
  '@import "x"',
  'expression(alert(1))',
  'href',
  'onload',
  'xlink:href',
  'http://www.w3.org/2000/svg',
  'http://www.w3.org/1999/xhtml',
  'http://www.w3.org/1999/xlink',
  '&amp;lt;',
  '100%',
  '1e999',
  '\u202e',
  '"',
  'url("data:,x")',
  'image-set("x" 1x)',
  'behavior:url(x)',
  '-moz-binding:url(x)',
];
const css = [
  '*{fill:red}',
  '@import url(http://x);',
  '@font-face{src:url(http://x)}',
  'a{background:url(http://x)}',
  '/*',
  '*/',
  '}',
  '<![CDATA[',
  ']]>',
  '\\75rl(x)',
  '@charset "x";',
  'a{b:c;;}',
  '@media print{a{fill:red}}',
  '@keyframes k{from{fill:url(x)}}',
  '</style><script>alert(1)</script>',
];
const hostilePieces = [
  '<script>alert(1)</script>',
  '<?xml-stylesheet href="x"?>',
  '<!--',
  '-->',
  '<![CDATA[',
  ']]>',
  '<!DOCTYPE svg [<!ENTITY a "b">]>',
  '&a;',
  '&#0;',
  '&#x110000;',
  '<foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="x"/></foreignObject>',
  ' onload="alert(1)"',
  '\0',
  '\ufffe',
  '</svg>',
  '<svg xmlns="http://www.w3.org/2000/svg">',
  '<a href="javascript:x">',
  '<use href="http://x#a"/>',
  '<style>@import "x";</style>',
  '<x:script xmlns:x="http://www.w3.org/2000/svg">alert(1)</x:script>',
  ' xmlns="http://www.w3.org/1999/xhtml"',
  '<set attributeName="href" to="javascript:x"/>',
  '<'.repeat(50),
  '&lt;script&gt;',
  "'",
  '"',
  '<image href="data:image/svg+xml,x"/>',
];

export const svgs: Generator = (random, world) => {
  const isWhole = random.percent(10);
  const given = random.pick(all);
  const bytes = isWhole ? given.bytes : random.percent(45) ? Buffer.from(grown(random)) : changed(random);
  const isRefused = given.name.startsWith('refused-');
  const allowed = !isWhole ? [201, 415, 422] : isRefused ? [415, 422] : [201];
  return formCase(random, world.keys.open, bytes, async (answer) => {
    const wrong = expectStatus(answer, ...allowed);
    if (wrong !== undefined) return isWhole ? `${given.name}: ${wrong}` : wrong;
    if (answer.status !== 201) return undefined;
    const upload = JSON.parse(answer.body.toString()) as {
      slug: string;
      content_type: string;
      size_bytes: number;
    };
    if (upload.content_type !== 'image/svg+xml') return undefined;
    const { status, headers, body } = await world.read(upload.slug);
    if (status !== 200 || body.length !== upload.size_bytes)
      return `read back ${status}, ${body.length} bytes`;
    if (!/\bsandbox\b/.test(headers['content-security-policy'] ?? '')) return 'served without a sandbox';
    const dangers = dangersIn(body.toString());
    return dangers.length === 0
      ? undefined
      : `stored with ${dangers.join(', ')}: ${bytes.toString('latin1').slice(0, 400)}`;
  });
};

function changed(random: Random): Buffer {
  let text = random.pick(all).bytes.toString('latin1');
  for (let count = random.between(1, 5); count > 0; count -= 1) {
    const at = random.below(text.length + 1);
    const other = random.pick(all).bytes.toString('latin1');
    const from = random.below(other.length);
    text = random.pick([
      () => text.slice(0, at) + random.pick(hostilePieces) + text.slice(at),
      () => text.slice(0, at) + text.slice(at + random.between(1, 30)),
      () => text.slice(0, at) + other.slice(from, from + random.between(1, 200)) + text.slice(at),
      () => atTag(text, at, random.pick(hostilePieces)),
      () => atTag(text, at, element(random, 2)),
      () => text.replace(/"[^"]*"/g, (value) => (random.percent(10) ? `"${random.pick(values)}"` : value)),
      () =>
        text.replaceAll(/<(\/?)(\w+)/g, (tag, slash: string) =>
          random.percent(5) ? `<${slash}${random.pick(elements)}` : tag,
        ),
    ])();
  }
  return Buffer.from(text, 'latin1');
}

/** Between two tags, where most insertions keep the document well-formed. */
function atTag(text: string, near: number, piece: string): string {
  const end = text.indexOf('>', near) + 1;
  return end === 0 ? text : text.slice(0, end) + piece + text.slice(end);
}

function grown(random: Random): string {
  const xml = random.percent(20)
    ? `<?xml version="1.0" encoding="${random.pick(['UTF-8', 'utf-16', 'latin1', 'x'])}"?>`
    : '';
  const names = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';
  const prefix = random.percent(90)
    ? ` xmlns:x="${random.pick(['http://www.w3.org/2000/svg', 'http://www.w3.org/1999/xlink', 'http://www.w3.org/1999/xhtml', 'urn:x'])}"`
    : '';
  const content = Array.from({ length: random.between(1, 6) }, () => element(random, 4));
  return `${xml}<svg ${names}${prefix}${given(random)}>${content.join('')}</svg>`;
}

function element(random: Random, depth: number): string {
  const name = random.pick(elements);
  const inside =
    name === 'style'
      ? random.pick(css) + random.pick(css)
      : depth === 0
        ? random.pick(['', 'text', '&amp;'])
        : Array.from({ length: random.below(3) }, () => element(random, depth - 1)).join('');
  return inside === '' && random.percent(70)
    ? `<${name}${given(random)}/>`
    : `<${name}${given(random)}>${inside}</${name}>`;
}

function given(random: Random): string {
  const used = new Set<string>();
  for (let count = random.below(4); count > 0; count -= 1) used.add(random.pick(attributes));
  const value = (): string => random.pick(values).replaceAll('<', '&lt;').replaceAll('"', '&quot;');
  return [...used].map((name) => ` ${name}="${value()}"`).join('');
}
