// The recipes of docs/client.md, run as they stand there against a real service, and its tables against the code.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { exitCodes } from '#cli/exit-codes.ts';
import { png } from '#lab/support/images.ts';
import { startPageServer, type PageServer } from '#lab/support/page-server.ts';
import { root } from '#lab/support/processes.ts';
import { startService, type TestService } from '#lab/support/service.ts';
import { buildClients } from '#scripts/build-clients.ts';
import { lacks } from './support.ts';

const run = promisify(execFile);
let service: TestService;
let site: PageServer;
let folder: string;
let guide: string;
let environment: NodeJS.ProcessEnv;

before(async () => {
  guide = await readFile(join(import.meta.dirname, '../../docs/client.md'), 'utf8');
  buildClients(join(root, 'clients/dist'));
  site = await startPageServer({ '/': '<!doctype html><h1>Hello</h1>' });
  service = await startService({ EGRESS_ALLOW: site.host });
  const { key } = await service.newKey();
  environment = { ...process.env, TINTYPE_URL: service.origin, TINTYPE_API_KEY: key };
  folder = await mkdtemp(join(tmpdir(), 'tintype-recipes-'));
  await writeFile(join(folder, 'photo.png'), await png());
});
after(async () => {
  await rm(folder, { recursive: true, force: true });
  await service.stop();
  await site.close();
});

/** The code under a heading, with the page of this test in place of the example. */
function recipe(heading: string, language: string): string {
  const section = guide.slice(guide.indexOf(`\n## ${heading}\n`));
  const code = section.split(`\`\`\`${language}\n`)[1]?.split('```')[0];
  assert.ok(code, `no recipe under ${heading}`);
  return code.replaceAll('https://example.com/', `${site.base}/`);
}

test('the curl recipe', async (context) => {
  if (lacks('curl', context)) return;
  const { stdout } = await run('sh', ['-e', '-c', recipe('curl', 'sh')], { cwd: folder, env: environment });
  const answers = stdout
    .replaceAll('}{', '}\n{')
    .split('\n')
    .map((text) => JSON.parse(text) as Record<string, unknown>);
  assert.deepEqual(
    answers.map((answer) => Object.keys(answer)[0]),
    ['id', 'items', 'id'],
  );
  assert.match(String(answers[2]?.['url']), /^http:\/\/tintype\.test\/p\//);
  assert.equal((await sharp(join(folder, 'page.webp')).metadata()).format, 'webp');
});

test('the Python recipe, with the module that the service serves', async (context) => {
  if (lacks('python3', context) || lacks('curl', context)) return;
  await run('sh', ['-e', '-c', recipe('Python', 'sh')], { cwd: folder, env: environment });
  await writeFile(join(folder, 'recipe.py'), recipe('Python', 'python'));
  const { stdout } = await run('python3', ['recipe.py'], { cwd: folder, env: environment });
  assert.match(stdout, /^http:\/\/tintype\.test\/i\/\w+\nexample\.jpg\nhttp:\/\/tintype\.test\/p\/\w+\n$/);
  assert.equal((await sharp(join(folder, 'example.jpg')).metadata()).format, 'jpeg');
});

test('every exit code is in the guide, and no other', () => {
  const table = guide.slice(guide.indexOf('| exit code |'), guide.indexOf('## MCP server'));
  const codes = [...table.matchAll(/^\| (\d+) \|/gm)].map((match) => Number(match[1]));
  assert.deepEqual(
    codes,
    Object.values(exitCodes).sort((a, b) => a - b),
  );
});
