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
import { startService, type TestService } from '#lab/support/service.ts';
import { lacks, page, refusal, startFaultServer, type Fault } from './support.ts';

const run = promisify(execFile);
let service: TestService;
let site: PageServer;
let folder: string;
let guide: string;
let environment: NodeJS.ProcessEnv;

before(async () => {
  guide = await readFile(join(import.meta.dirname, '../../docs/client.md'), 'utf8');
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
function recipe(heading: string): string {
  const section = guide.slice(guide.indexOf(`\n## ${heading}\n`));
  const code = /```\w+\n([^]*?)```/.exec(section)?.[1];
  assert.ok(code, `no recipe under ${heading}`);
  return code.replaceAll('https://example.com/', `${site.base}/`);
}

test('the curl recipe', async (context) => {
  if (lacks('curl', context)) return;
  const { stdout } = await run('sh', ['-e', '-c', recipe('curl')], { cwd: folder, env: environment });
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

test('the Python recipe', async (context) => {
  if (lacks('python3', context)) return;
  await writeFile(join(folder, 'recipe.py'), recipe('Python'));
  const { stdout } = await run('python3', ['recipe.py', 'photo.png'], { cwd: folder, env: environment });
  assert.match(stdout, /^http:\/\/tintype\.test\/i\/\w+\nhttp:\/\/tintype\.test\/p\/\w+\n$/);
  assert.equal((await sharp(join(folder, 'example.jpg')).metadata()).format, 'jpeg');
});

test('7 the Python recipe repeats what may be repeated, and nothing else', async (context) => {
  if (lacks('python3', context)) return;
  await writeFile(join(folder, 'recipe.py'), recipe('Python'));
  const server = await startFaultServer();
  // Waits are written down instead of waited for.
  const script = `
import json, time, recipe
waits = []
time.sleep = waits.append
try:
    recipe.screenshot("http://page.test/")
    code = "done"
except recipe.TintypeError as error:
    code = error.code
except OSError:
    code = "connection"
print(json.dumps([code, [round(wait, 3) for wait in waits]]))`;
  const cases: { fault: Fault; code: string; attempts: number; firstWait?: number }[] = [
    { fault: refusal(401, 'unauthorized'), code: 'unauthorized', attempts: 1 },
    { fault: refusal(422, 'validation_error'), code: 'validation_error', attempts: 1 },
    {
      fault: refusal(429, 'rate_limited', { 'retry-after': '7' }),
      code: 'rate_limited',
      attempts: 5,
      firstWait: 7,
    },
    { fault: refusal(502, 'capture_failed'), code: 'capture_failed', attempts: 3 },
    { fault: page(503), code: 'unavailable', attempts: 5 },
    { fault: (response) => void response.destroy(), code: 'connection', attempts: 5 },
  ];
  try {
    for (const { fault, code, attempts, firstWait } of cases) {
      server.play(fault);
      const { stdout } = await run('python3', ['-c', script], {
        cwd: folder,
        env: { ...environment, TINTYPE_URL: server.origin },
      });
      const [told, waits] = JSON.parse(stdout) as [string, number[]];
      assert.deepEqual([told, server.seen.length, waits.length], [code, attempts, attempts - 1]);
      assert.equal(new Set(server.seen.map(({ idempotencyKey }) => idempotencyKey)).size, 1);
      if (firstWait !== undefined) assert.equal(waits[0], firstWait);
    }
  } finally {
    await server.stop();
  }
});

test('every exit code is in the guide, and no other', () => {
  const table = guide.slice(guide.indexOf('| exit code |'), guide.indexOf('## MCP server'));
  const codes = [...table.matchAll(/^\| (\d+) \|/gm)].map((match) => Number(match[1]));
  assert.deepEqual(
    codes,
    Object.values(exitCodes).sort((a, b) => a - b),
  );
});
