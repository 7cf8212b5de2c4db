// The code samples of the reference are valid in their languages.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { stripTypeScriptTypes } from 'node:module';
import { test } from 'node:test';
import { samplesOf } from '#http/docs/samples.ts';

const body = { url: 'https://example.com/?a=b', full_page: true, format: 'jpeg', viewport: { width: 800 } };
const calls = [
  ...samplesOf('https://img.example.com', '/api/v1/screenshot', body),
  ...samplesOf('https://img.example.com', '/api/v1/pdf', { url: 'https://example.com', landscape: false }),
  ...samplesOf('https://img.example.com', '/api/v1/upload', undefined),
  ...samplesOf('https://img.example.com', '/api/v1/upload/batch', undefined),
];
const codeOf = (id: string) => calls.filter((sample) => sample.id === id).map(({ code }) => code);

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
