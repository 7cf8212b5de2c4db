// The code samples of the reference are valid in their languages.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { promisify } from 'node:util';
import { sampleOf, type Language } from '#site/docs/samples.ts';
import { skip as pythonIsMissing } from '#test/client/python.ts';
import * as images from '#test/support/images.ts';
import { root, temporaryFolder } from '#test/support/processes.ts';
import { startService, type TestService } from '#test/support/service.ts';

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
  ['render', { url, async: true, expires_in: null }],
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
    /tintype\.render\(\{\n  html: ".*\n.*\n  viewport: \{ pixelRatio: 2 \},\n.*\n  headers: \{ 'X-Some_Token': 'a' \},\n\}\)/,
  );
  assert.match(render('python'), /tintype\.render\(\n    html=".*\n.*\n    viewport=\{"pixel_ratio": 2\},\n/);
  assert.match(codeOf('typescript')[5] ?? '', /const \{ id \} = await [^]*waitForRender\(id\)/);
  assert.match(codeOf('python')[5] ?? '', /queue_render\("https:.*", expires_in=None\)\n.*wait_for_render/);
  assert.doesNotMatch(codeOf('curl')[5] ?? '', / -o /);
  assert.match(codeOf('python')[4] ?? '', /hosted_render\("https:.*", javascript=False\)\n.*outputs/);
});

suite('an upload runs as copied, with the key in the environment', () => {
  let service: TestService;
  let folder: { path: string; remove: () => Promise<void> };
  let environment: NodeJS.ProcessEnv;
  const file = `it's “here” \\ $HOME.png`;
  const code = (language: Language): string =>
    sampleOf(language, { baseUrl: service.origin, endpoint: 'upload', body: { file, expires_in: 600 } });

  before(async () => {
    [service, folder] = await Promise.all([startService(), temporaryFolder()]);
    environment = { ...process.env, TINTYPE_API_KEY: (await service.newKey()).key };
    await writeFile(join(folder.path, file), await images.png());
    // The library of this repository, under the name by which it is installed.
    const library = join(folder.path, 'node_modules/@tintype/client');
    await mkdir(library, { recursive: true });
    await symlink(join(root, 'clients/library/src'), join(library, 'src'));
    await writeFile(join(library, 'package.json'), '{ "type": "module", "exports": "./src/index.ts" }');
  });
  after(async () => {
    await service.stop();
    await folder.remove();
  });

  const run = async (program: string, args: string[], variables: NodeJS.ProcessEnv = {}): Promise<void> => {
    const env = { ...environment, ...variables };
    const { stdout } = await promisify(execFile)(program, args, { cwd: folder.path, env });
    assert.match(stdout, /\/i\/[A-Za-z\d]{12}/);
  };

  test('curl', () => run('sh', ['-c', code('curl')]));
  test('TypeScript', async () => {
    await writeFile(join(folder.path, 'sample.mts'), code('typescript'));
    await run(process.execPath, ['sample.mts']);
  });
  test('Python', { skip: pythonIsMissing }, () =>
    run('python3', ['-c', code('python')], { PYTHONPATH: join(root, 'clients/python') }),
  );
});
