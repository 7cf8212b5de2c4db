// The code samples of the reference are valid in their languages.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { stripTypeScriptTypes } from 'node:module';
import { test } from 'node:test';
import { sampleOf, type Language } from '#http/docs/samples.ts';

const url = "https://example.com/?a=b&c='d'";
const bodies: [endpoint: string, body: Record<string, unknown>][] = [
  ['screenshot', { url, full_page: true, format: 'jpeg', viewport: { width: 800 } }],
  ['pdf', { url, landscape: false, margin: { top: '1cm' }, response: 'json' }],
  ['upload', { file: "it's.png", expires_in: 60 }],
  [
    'render',
    {
      html: "<p>It's\n“here”</p>",
      format: 'markdown',
      viewport: { pixel_ratio: 2 },
      block: ['ads'],
      headers: { 'X-Some_Token': 'a' },
    },
  ],
  ['render', { url, javascript: false, response: 'json' }],
  ['upload/batch', { file: ['one.png', 'two.jpg'] }],
];
const codeOf = (language: Language) =>
  bodies.map(([endpoint, body]) =>
    sampleOf(language, { baseUrl: 'https://img.example.com', endpoint, body }),
  );

test('the TypeScript samples are valid TypeScript', () => {
  assert.equal(codeOf('typescript').length, bodies.length);
  for (const code of codeOf('typescript')) assert.doesNotThrow(() => stripTypeScriptTypes(code), code);
});

test('the shell samples are valid shell', () => {
  for (const code of codeOf('curl')) {
    const { status, stderr } = spawnSync('sh', ['-n'], { input: code, encoding: 'utf8' });
    assert.equal(status, 0, `${stderr}\n${code}`);
  }
});

test('the Python samples use only names that Python knows', (context) => {
  const program =
    'import ast, sys; print(sorted({n.id for n in ast.walk(ast.parse(sys.stdin.read())) if isinstance(n, ast.Name)}))';
  for (const code of codeOf('python')) {
    const { status, stdout, stderr, error } = spawnSync('python3', ['-c', program], {
      input: code,
      encoding: 'utf8',
    });
    if (error) return context.skip('there is no python3 on this machine');
    assert.equal(status, 0, `${stderr}\n${code}`);
    assert.doesNotMatch(stdout, /'(true|false|null)'/, code);
  }
});

test('version 2: its path, the names of each language, and a file with the ending of its format', () => {
  const render = (language: Language): string => codeOf(language)[3] ?? '';
  assert.match(render('curl'), /com\/api\/v2\/renders [^]*-o page\.md$/);
  assert.match(
    render('typescript'),
    /tintype\.render\(\{ html: ".*viewport: \{ pixelRatio: 2 \}, .*headers: \{ 'X-Some_Token': 'a' \} \}\)/,
  );
  assert.match(render('python'), /tintype\.render\(html=".*viewport=\{"pixel_ratio": 2\}/);
  assert.match(codeOf('python')[4] ?? '', /hosted_render\("https:.*", javascript=False\)\n.*outputs/);
});
