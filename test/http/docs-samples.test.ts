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
  ['upload/batch', { file: ['one.png', 'two.jpg'] }],
];
const codeOf = (language: Language) =>
  bodies.map(([endpoint, body]) =>
    sampleOf(language, { baseUrl: 'https://img.example.com', endpoint, body }),
  );

test('the TypeScript samples are valid TypeScript', () => {
  assert.equal(codeOf('typescript').length, 4);
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
