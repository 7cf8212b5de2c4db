// Multipart forms, parsed correctly wherever the network splits them.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { createFormParser, FormError } from '#http/body/form-parser.ts';

interface Part {
  name: string | undefined;
  filename: string | undefined;
  content: string;
}

const formType = 'multipart/form-data; boundary=xyz';

function partsOf(chunks: Buffer[], contentType = formType): Part[] {
  const parser = createFormParser(contentType);
  const parts: (Part & { isOver: boolean })[] = [];
  for (const chunk of chunks) {
    for (const event of parser.read(chunk)) {
      const current = parts.at(-1);
      if (event === 'end of part') {
        assert.equal(current?.isOver, false);
        if (current) current.isOver = true;
      } else if ('part' in event) {
        assert.notEqual(current?.isOver, false);
        parts.push({ ...event.part, content: '', isOver: false });
      } else {
        assert.equal(current?.isOver, false);
        assert.notEqual(event.piece.length, 0);
        if (current) current.content += event.piece.toString('latin1');
      }
    }
  }
  parser.end();
  return parts.map(({ name, filename, content }) => ({ name, filename, content }));
}

/** In one piece, byte by byte, and split at every position: always the same parts. */
function parse(text: string, contentType?: string): Part[] {
  const body = Buffer.from(text);
  const whole = partsOf([body], contentType);
  assert.deepEqual(
    partsOf(
      [...body].map((byte) => Buffer.of(byte)),
      contentType,
    ),
    whole,
    'byte by byte',
  );
  for (let cut = 0; cut <= body.length; cut += 1) {
    assert.deepEqual(
      partsOf([body.subarray(0, cut), body.subarray(cut)], contentType),
      whole,
      `cut at ${cut}`,
    );
  }
  return whole;
}

const field = (content: string, name = 'a') =>
  `Content-Disposition: form-data; name="${name}"\r\n\r\n${content}`;

test('parts come in order, with their names, filenames and bytes', () => {
  const file =
    'Content-Disposition: form-data; name="file"; filename="ü.png"\r\nContent-Type: image/png\r\n\r\n';
  assert.deepEqual(parse(`--xyz\r\n${file}\r\n\r\n--xy\r\n--\r\r\n--xyz\r\n${field('60')}\r\n--xyz--\r\n`), [
    { name: 'file', filename: 'ü.png', content: '\r\n\r\n--xy\r\n--\r' },
    { name: 'a', filename: undefined, content: '60' },
  ]);
});

test('text before the first delimiter and after the last is not a part', () => {
  const [part, ...more] = parse(
    `a preamble\r\n--xyz\r\n${field('1')}\r\n--xyz--\r\nan epilogue\r\n--xyz\r\nno part`,
  );
  assert.deepEqual([part?.content, more.length], ['1', 0]);
});

test('white space may follow a delimiter; anything else makes it content', () => {
  assert.deepEqual(
    parse(
      `--xyz \t\r\n${field('1\r\n--xyzz\r\n--xyz-\r\n--xyz x\r\n--xyz\n')}\r\n--xyz  \r\n${field('2')}\r\n--xyz--`,
    ).map(({ content }) => content),
    ['1\r\n--xyzz\r\n--xyz-\r\n--xyz x\r\n--xyz\n', '2'],
  );
});

test('a part may be empty, also where its head ends with the line break of the delimiter', () => {
  assert.deepEqual(
    parse(`--xyz\r\n${field('')}\r\n--xyz\r\n${field('')}--xyz\r\n${field('3')}\r\n--xyz--`).map(
      ({ content }) => content,
    ),
    ['', '', '3'],
  );
});

for (const [what, head, expected] of [
  [
    'names in any case, tokens and white space',
    'content-DISPOSITION:form-data ;NAME = a ; FileName=b.png',
    ['a', 'b.png'],
  ],
  ['a trailing semicolon', 'Content-Disposition: form-data; name="a"; ', ['a', undefined]],
  ['a folded line', 'Content-Disposition: form-data;\r\n\tname="a";\r\n filename="b"', ['a', 'b']],
  [
    'escaped quotes',
    String.raw`Content-Disposition: form-data; name="a"; filename="\"b\\ \".png"`,
    ['a', String.raw`"b\ ".png`],
  ],
  [
    'a Windows path',
    String.raw`Content-Disposition: form-data; name="a"; filename="C:\pictures\b.png"`,
    ['a', String.raw`C:\pictures\b.png`],
  ],
  ['a semicolon in quotes', 'Content-Disposition: form-data; name="a"; filename="b;c=d"', ['a', 'b;c=d']],
  ['an empty filename', 'Content-Disposition: form-data; name="a"; filename=""', ['a', '']],
  [
    'an encoded filename before a plain one',
    "Content-Disposition: form-data; name=a; filename=b; filename*=utf-8''%E2%82%AC%20c",
    ['a', '€ c'],
  ],
  ['Latin-1', "Content-Disposition: form-data; name=a; filename*=ISO-8859-1'en'%e9", ['a', 'é']],
  [
    'the first of two names',
    'Content-Disposition: form-data; name=a; name=b\r\nContent-Disposition: form-data; name=c',
    ['a', undefined],
  ],
  ['no name', 'Content-Disposition: form-data', [undefined, undefined]],
  [
    'bytes without a filename',
    'Content-Type: application/octet-stream\r\nContent-Disposition: form-data; name=a',
    ['a', ''],
  ],
  [
    'a picture without a filename',
    'Content-Type: image/svg+xml; charset=utf-8\r\nContent-Disposition: form-data; name=a',
    ['a', ''],
  ],
  [
    'text without a filename',
    'Content-Type: text/plain\r\nContent-Disposition: form-data; name=a',
    ['a', undefined],
  ],
  [
    'a quote and line breaks as browsers escape them, and nothing else',
    'Content-Disposition: form-data; name="a"; filename="%22b%22%0D%0a%20%2522%41.png"',
    ['a', '"b"\r\n%20%2522%41.png'],
  ],
] as const) {
  test(`a head is read: ${what}`, () => {
    const [part] = parse(`--xyz\r\n${head}\r\n\r\n1\r\n--xyz--`);
    assert.deepEqual([part?.name, part?.filename, part?.content], [...expected, '1']);
  });
}

for (const [what, head, reason] of [
  ['no head at all', '', /no Content-Disposition/],
  ['no disposition', 'Content-Type: image/png\r\n', /no Content-Disposition/],
  ['another disposition', 'Content-Disposition: attachment; name="a"\r\n', /no Content-Disposition/],
  ['an open quote', 'Content-Disposition: form-data; name="a\r\n', /no Content-Disposition/],
  [
    'a filename that is no token',
    'Content-Disposition: form-data; name=a; filename=b c\r\n',
    /no Content-Disposition/,
  ],
  [
    'a charset that nobody knows',
    "Content-Disposition: form-data; name=a; filename*=klingon''b\r\n",
    /no Content-Disposition/,
  ],
  [
    'an encoding that is broken',
    "Content-Disposition: form-data; name=a; filename*=utf-8''%ff\r\n",
    /no Content-Disposition/,
  ],
  ['a line without a colon', 'Content-Disposition\r\n', /cannot be read/],
  ['a control character', 'Content-Disposition: form-data; name="a\0b"\r\n', /cannot be read/],
  ['a bare line feed', 'Content-Disposition: form-data;\nname="a"\r\n', /cannot be read/],
  ['a head without end', `X: ${'x'.repeat(20_000)}\r\n`, /too long/],
] as const) {
  test(`a head is refused: ${what}`, () => {
    const body = Buffer.from(`--xyz\r\n${head}\r\n1\r\n--xyz--`);
    const refused = (error: unknown) => error instanceof FormError && reason.test(error.message);
    assert.throws(() => partsOf([body]), refused);
    assert.throws(() => partsOf([body.subarray(0, 9), body.subarray(9)]), refused);
  });
}

test('a form that ends early is refused', () => {
  const body = Buffer.from(`--xyz\r\n${field('1')}\r\n--xyz--`);
  for (let length = 0; length < body.length; length += 1) {
    assert.throws(() => partsOf([body.subarray(0, length)]), FormError, `${length} bytes`);
  }
});

test('the boundary may be quoted, and a missing one is an error', () => {
  assert.equal(
    parse(`--a b\r\n${field('1')}\r\n--a b--`, 'multipart/form-data; charset=utf-8; boundary="a b"').length,
    1,
  );
  for (const type of [
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary=a b',
    'multipart/form-data; boundary=a"b',
    'multipart/form-data; boundary=""',
  ]) {
    assert.throws(() => createFormParser(type), FormError);
  }
});

for (const boundary of ['----=_Part_1', '===1794===', 'a:b', 'a/b?c']) {
  test(`the boundary ${boundary} needs no quotes`, () => {
    const body = `--${boundary}\r\n${field('1')}\r\n--${boundary}--`;
    for (const type of [`boundary=${boundary}`, `boundary=${boundary}; charset=utf-8`])
      assert.equal(parse(body, `multipart/form-data; ${type}`).length, 1);
  });
}

test('a boundary of 200 characters is read, a longer one is refused by name', () => {
  const formOf = (boundary: string) =>
    parse(
      `--${boundary}\r\nContent-Disposition: form-data; name=a\r\n\r\nx\r\n--${boundary}--`,
      `multipart/form-data; boundary=${boundary}`,
    );
  assert.deepEqual(formOf('a'.repeat(200)), [{ name: 'a', filename: undefined, content: 'x' }]);
  assert.throws(() => formOf('a'.repeat(201)), /^Error: the boundary is longer than 200 characters/);
});
