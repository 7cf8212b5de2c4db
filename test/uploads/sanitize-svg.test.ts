// SVGs are sanitized before they are stored: hostile ones become harmless, ordinary ones lose nothing visible. Spec 4.1.2.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { SaxesParser } from 'saxes';
import type { SaxesTagNS } from 'saxes';
import { ServiceError } from '#core/errors.ts';
import { sanitizeSvg } from '#uploads/svg/sanitize-svg.ts';
import { dangersIn } from '#test/support/svg-dangers.ts';
import { svgFixtures } from '#test/support/svg-fixtures.ts';

const svgNamespace = 'http://www.w3.org/2000/svg';
const wrap = (body: string): string => `<svg xmlns="${svgNamespace}">${body}</svg>`;
const sanitize = (text: string): string => sanitizeSvg(Buffer.from(text)).toString();

suite('4.1.2 hostile SVGs', () => {
  const fixtures = svgFixtures('hostile');
  test('there are enough of them', () => assert.ok(fixtures.length >= 50, `${fixtures.length}`));

  for (const { name, bytes } of fixtures) {
    if (name.startsWith('refused-')) {
      test(`${name}: refused with the reason`, () => {
        assert.throws(() => sanitizeSvg(bytes), isRefusal);
      });
    } else {
      test(`${name}: harmless`, () => {
        const sanitized = sanitizeSvg(bytes);
        assert.deepEqual(dangersIn(sanitized.toString()), []);
        assert.equal(
          sanitizeSvg(sanitized).toString(),
          sanitized.toString(),
          'sanitizing twice changes nothing',
        );
      });
    }
  }

  test('the check finds danger in unsanitized files', () => {
    const unseen = fixtures
      .filter(({ name }) =>
        /^(?:script-(?!in-defs)|on|foreign|css-(?:url|import)|a-|image-ext|use-ext|pi-)/.test(name),
      )
      .filter(({ bytes }) => dangersIn(bytes.toString()).length === 0);
    assert.deepEqual(unseen, []);
  });
});

/** What may be missing from the output of an ordinary file, because it is not visible. */
const unseenElements = new Set(['metadata', 'foreignObject']);
const unseenAttributes = new Set(['content', 'focusable', 'href of a', 'target of a']);

suite('4.1.2 ordinary SVGs', () => {
  const fixtures = svgFixtures('ordinary');
  test('there are enough of them', () => assert.ok(fixtures.length >= 20, `${fixtures.length}`));

  for (const { name, bytes } of fixtures) {
    test(`${name}: nothing visible is lost`, () => {
      const sanitized = sanitizeSvg(bytes);
      const [before, after] = [inventory(decode(bytes)), inventory(sanitized.toString())];
      assert.deepEqual(after.elements, before.elements);
      assert.deepEqual(after.attributes, before.attributes);
      assert.equal(after.text, before.text);
      assert.deepEqual(dangersIn(sanitized.toString()), []);
      assert.equal(
        sanitizeSvg(sanitized).toString(),
        sanitized.toString(),
        'sanitizing twice changes nothing',
      );
    });
  }
});

const lines: [name: string, text: string | Buffer, expected: RegExp | string][] = [
  ['an svg without a namespace gets one', '<svg><g/></svg>', wrap('<g/>')],
  [
    'entities of the doctype are resolved',
    `<!DOCTYPE svg [<!ENTITY c "red">]>${wrap('<g fill="&c;"/>')}`,
    wrap('<g fill="red"/>'),
  ],
  ['a doctype with another name does not matter', `<!DOCTYPE x>${wrap('<g/>')}`, wrap('<g/>')],
  [
    'windows-1252',
    Buffer.from(`<?xml version="1.0" encoding="windows-1252"?>${wrap('<g id="\x80\xe9"/>')}`, 'latin1'),
    wrap('<g id="€é"/>'),
  ],
  ['US-ASCII', `<?xml version='1.0' encoding='US-ASCII'?>${wrap('<g/>')}`, wrap('<g/>')],
  [
    'an image keeps only raster data',
    wrap('<image href="data:image/jpg;base64, AA AA"/>'),
    wrap('<image href="data:image/jpg;base64,AAAA"/>'),
  ],
  [
    'a picture that is no picture is removed',
    wrap(
      '<image href="data:;base64,AAAA"/><image href="data:text/html,x"/><image href="data:image/svg+xml,x"/>',
    ),
    wrap('<image/><image/><image/>'),
  ],
  [
    'an embedded font is kept',
    wrap(
      '<style>@font-face{font-family:x;src:url(x.woff),url("data:font/woff2;base64,AAAA") format("woff2"),local(Arial)}</style>',
    ),
    wrap(
      '<style>@font-face{font-family:x;src:url(data:font/woff2;base64,AAAA) format("woff2"),local(Arial)}</style>',
    ),
  ],
  [
    'an escaped class name is unchanged',
    wrap('<style>.\\31 0\\:x{fill:red}</style>'),
    wrap('<style>.\\31 0\\3a x{fill:red}</style>'),
  ],
  [
    'an unknown property is removed, its neighbours stay',
    wrap('<g style="fill:red;-x-y:1;stroke:blue"/>'),
    wrap('<g style="fill:red;stroke:blue"/>'),
  ],
  [
    'a semicolon in a string does not end the declaration',
    wrap(`<g style="font-family:'a;b';fill:red"/>`),
    wrap('<g style="font-family:&quot;a;b&quot;;fill:red"/>'),
  ],
  [
    'a unit written with escapes is removed',
    wrap('<g style="stroke-width:1\\65 3;fill:red"/>'),
    wrap('<g style="fill:red"/>'),
  ],
  [
    'the end of a value closes what is open',
    wrap(
      `<g fill="url(#a" stroke="url(&quot;#a" filter="blur(calc(1px" style="font-family:'a;b;fill:red"/><style>a{fill:url(#b</style>`,
    ),
    wrap(
      '<g fill="url(#a)" stroke="url(#a)" filter="blur(calc(1px))" style="font-family:&quot;a;b;fill:red&quot;"/><style>a{fill:url(#b)}</style>',
    ),
  ],
  [
    'a string with a line break takes only its own declaration',
    wrap("<style>a{font-family:'x;\nfill:red;stroke:red}b{fill:blue}</style>"),
    wrap('<style>a{stroke:red}b{fill:blue}</style>'),
  ],
  [
    'after a URL that cannot be read, the rest of the sheet stays',
    wrap("<style>a{fill:url(data:,<a b='c'>);stroke:red}b{fill:blue}</style>".replace('<a', '&lt;a')),
    wrap('<style>a{stroke:red}b{fill:blue}</style>'),
  ],
  [
    'a reference that is refused leaves its fallback, or nothing',
    wrap(
      '<g fill="url(//x#a) green" stroke="url(//x#a)"/><g marker="url(//x#a)" mask="url(//x#a)"/><g style="fill:url(//x#a) red!important;stroke:url(//x);mask:url(//x) 50%"/>',
    ),
    wrap(
      '<g fill="green" stroke="none"/><g marker="none" mask="none"/><g style="fill:red!important;stroke:none"/>',
    ),
  ],
  [
    'an id that looks like an address is refused',
    wrap(`<g fill='url("#a;url(//x);b")'/>`),
    wrap('<g fill="none"/>'),
  ],
  [
    'a value that no browser reads leaves nothing',
    wrap('<g fill="element(x) red" stroke="url(//x) element(x)" filter="[(])" mask="url(a b)"/>'),
    wrap('<g/>'),
  ],
  [
    'each value of an animation is checked by itself',
    wrap(
      '<set attributeName="fill" to="url(//x) red"/><animate attributeName="fill" values="url(#a;url(//x) red;url(//x);rgb(1,2,3"/>',
    ),
    wrap(
      '<set attributeName="fill" to="red"/><animate attributeName="fill" values="url(#a);red;none;rgb(1,2,3)"/>',
    ),
  ],
  [
    'no value of an animation contains a semicolon, written as an escape either',
    wrap(
      ["url('#a\\3b b')", '"\\3b url(//x)\\3b "']
        .map((value) => `<animate attributeName="filter" values="${value.replaceAll('"', '&quot;')};none"/>`)
        .join(''),
    ),
    wrap('<animate attributeName="filter"/><animate attributeName="filter"/>'),
  ],

  ['broken after <svg', '<svg', /^file: line 1: not well-formed XML/],
  ['broken later', '<svg>\n<g>\n</svg>', /^file: line 3: not well-formed XML \(unexpected close tag\)$/],
  [
    'whitespace before the declaration',
    ` \n<?xml version="1.0"?>${wrap('')}`,
    /^file: line 2: not well-formed XML \(an XML declaration must/,
  ],
  ['a lower-case doctype', `<!doctype svg>${wrap('')}`, /^file: line 1: not well-formed XML/],
  ['an unbound prefix', '<svg:svg/>', /unbound namespace prefix/],
  ['an unknown entity', wrap('<text>&nbsp;</text>'), /undefined entity/],
  ['an entity bomb', `<!DOCTYPE svg [<!ENTITY a "&b;">]>${wrap('&a;')}`, /the entity "a" is not plain text/],
  [
    'bytes outside the encoding',
    Buffer.from([...Buffer.from('<svg id="'), 0xff, ...Buffer.from('"/>')]),
    /not valid UTF-8/,
  ],

  ['HTML', '<!DOCTYPE html><html><svg/></html>', 'unsupported_type'],
  ['a lower-case HTML doctype', '<!doctype html><p>x<svg/></p>', 'unsupported_type'],
  ['another root', '<?xml version="1.0"?><!-- <svg> --><note><svg/></note>', 'unsupported_type'],
  ['svg of another namespace', '<svg xmlns="urn:example:other"/>', 'unsupported_type'],
  ['upper case', '<SVG/>', 'unsupported_type'],
  ['a name that only starts with svg', '<svgx/>', 'unsupported_type'],
  ['an unclosed comment', '<!-- <svg/>', 'unsupported_type'],
  ['an unclosed doctype', '<!DOCTYPE svg [ <svg/>', 'unsupported_type'],
  ['a less-than sign without an element', '<3 all of you <svg/>', 'unsupported_type'],
  ['PHP', '<?php echo "<svg/>";', 'unsupported_type'],
  ['a closing tag', '</svg>', 'unsupported_type'],
];

suite('4.1.2 accepted, refused, unsupported', () => {
  for (const [name, text, expected] of lines) {
    test(name, () => {
      const bytes = typeof text === 'string' ? Buffer.from(text) : text;
      if (typeof expected === 'string' && expected.startsWith('<')) {
        assert.equal(sanitizeSvg(bytes).toString().trimEnd(), expected);
      } else if (typeof expected === 'string') {
        assert.throws(() => sanitizeSvg(bytes), { name: 'ServiceError', code: expected });
      } else
        assert.throws(() => sanitizeSvg(bytes), {
          name: 'ServiceError',
          code: 'validation_error',
          message: expected,
        });
    });
  }

  test('an SVG in an SVG is sanitized, two levels deep', () => {
    const levels: string[] = [];
    for (let text = nested(4); text !== '';) {
      const sanitized = sanitize(text);
      levels.push(sanitized.replace(/base64,[^"]+/, ''));
      text = Buffer.from(/base64,([^"]+)/.exec(sanitized)?.[1] ?? '', 'base64').toString();
    }
    const picture = wrap('<image href="data:image/svg+xml;"/>');
    assert.deepEqual(
      levels.map((level) => level.trimEnd()),
      [picture, picture, wrap('<image/>')],
    );
  });

  test('what the SVGs inside draw counts as drawn by the SVG around them', () => {
    const many = embedded(wrap('<g/>'.repeat(5_000)));
    const shown = (times: number): string =>
      wrap(`<image id="a" href="${many}"/>${'<use href="#a"/>'.repeat(times)}`);
    assert.match(sanitize(shown(90)), /<use href="#a"\/><\/svg>$/m);
    assert.throws(() => sanitize(shown(110)), /expand to more than 500000 elements/);
  });

  test('output larger than the file limit is refused', () => {
    const body = `<g data-x="${'&#34;'.repeat(2_000_000)}"/>`;
    assert.throws(() => sanitize(wrap(body)), { code: 'file_too_large' });
  });

  test('an ordinary file with a byte cut or flipped gives an SVG or a refusal, nothing else', () => {
    for (const { bytes } of svgFixtures('ordinary')) {
      for (let place = 0; place < 40; place += 1) {
        const mangled = Buffer.from(bytes);
        const at = Math.floor((place * bytes.length) / 40);
        mangled[at] = mangled[at]! ^ (1 << (place % 7));
        for (const variant of [mangled, bytes.subarray(0, at)]) {
          try {
            assert.deepEqual(dangersIn(sanitizeSvg(variant).toString()), []);
          } catch (error) {
            if (!isRefusal(error)) throw error;
          }
        }
      }
    }
  });
});

const embedded = (text: string): string =>
  `data:image/svg+xml;base64,${Buffer.from(text).toString('base64')}`;

const nested = (levels: number): string =>
  wrap(levels === 0 ? '<g onclick="x"/>' : `<image href="${embedded(nested(levels - 1))}"/>`);

function isRefusal(error: unknown): boolean {
  return (
    error instanceof ServiceError &&
    ['validation_error', 'unsupported_type'].includes(error.code) &&
    error.message.startsWith('file: ')
  );
}

function decode(bytes: Buffer): string {
  if (bytes[0] === 0xff) return bytes.toString('utf16le').slice(1);
  return bytes.toString(bytes.includes('ISO-8859-1') ? 'latin1' : 'utf8');
}

/** SVG elements, attributes with their values (whitespace ignored), and all text outside style sheets. */
function inventory(document: string): { elements: string[]; attributes: string[]; text: string } {
  const [elements, attributes, open]: [string[], string[], string[]] = [[], [], []];
  let text = '';
  const parser = new SaxesParser({ xmlns: true });
  parser.on('doctype', (doctype) => {
    for (const [, name, value] of doctype.matchAll(/<!ENTITY (\w+) "([^"]*)">/g))
      parser.ENTITIES[name!] = value!;
  });
  const isSeen = (tag: SaxesTagNS): boolean => {
    const isSvg = tag.uri === svgNamespace || (tag.uri === '' && !document.includes(svgNamespace));
    return isSvg && !unseenElements.has(tag.local) && !open.includes('');
  };
  parser.on('opentag', (tag) => {
    const seen = isSeen(tag);
    open.push(seen ? tag.local : '');
    if (!seen) return;
    elements.push(tag.local);
    for (const { name, local, prefix, uri, value } of Object.values(tag.attributes)) {
      const isKnown =
        prefix === '' ? name !== 'xmlns' : local === 'href' || uri.endsWith('/XML/1998/namespace');
      const isUnseen = unseenAttributes.has(name) || unseenAttributes.has(`${name} of ${tag.local}`);
      if (isKnown && !isUnseen) attributes.push(`${tag.local} ${local}=${canonical(local, value)}`);
    }
  });
  parser.on('closetag', () => open.pop());
  const onText = (characters: string): void => {
    if (!open.includes('') && open.at(-1) !== 'style') text += characters;
  };
  parser.on('text', onText);
  parser.on('cdata', onText);
  parser.write(document).close();
  return { elements, attributes, text: text.replaceAll(/\s+/g, ' ').trim() };
}

function canonical(name: string, value: string): string {
  if (value.startsWith('data:')) return pictureIn(value);
  const compact = closedAtEnd(value).replaceAll(/\s+/g, '');
  if (name !== 'style') return compact.replaceAll(/url\(["'](#\w+)["']\)/g, 'url($1)');
  const declarations = compact.split(';').filter((declaration) => !/^(?:-inkscape.*)?$/.test(declaration));
  return declarations.join(';').replaceAll("'", '"');
}

/** What an embedded picture shows, however its address is written. */
function pictureIn(address: string): string {
  const comma = address.indexOf(',');
  const [head, body] = [address.slice(0, comma), unescapeToBytes(address.slice(comma + 1))];
  const bytes = head.endsWith('base64') ? Buffer.from(body.toString(), 'base64') : body;
  return head.includes('svg') ? JSON.stringify(inventory(bytes.toString())) : bytes.toString('base64');
}

const unescapeToBytes = (text: string): Buffer =>
  Buffer.from(
    text.replaceAll(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );

/** In CSS, the end of a value closes the string and the functions that are open. */
function closedAtEnd(value: string): string {
  const [opened, closed] = [value.split('(').length, value.split(')').length];
  const quote = value.split("'").length % 2 === 0 ? "'" : '';
  return value + quote + ')'.repeat(Math.max(0, opened - closed));
}

test('an attribute that takes no URL is removed if it contains one; the rest of the element stays', () => {
  for (const value of ['url(//x)', 'fill:url(//x)', '-moz-binding:URL (x)']) {
    const sanitized = sanitize(wrap(`<marker refX="1" refY="${value}" data-note="kept"/>`));
    assert.match(sanitized, /<marker refX="1" data-note="kept"\/>/);
  }
});
