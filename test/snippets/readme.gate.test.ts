// The code blocks of README.md, and every call that /docs shows. Those of the guides and of the packages' pages are in
// guides.gate.test.ts.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { languages, sampleOf, type Language } from '#site/docs/samples.ts';
import { root } from '#test/support/processes.ts';
import { pageBlocks } from './blocks.ts';
import { testBlocksOf, testTypes } from './suite.ts';

const run = promisify(execFile);
const { desk, run: runBlock } = testBlocksOf(['README.md']);

test('/docs: every call', async (context) => {
  const place = await desk().folderFor('/docs');
  const calls = pageBlocks(await (await fetch(`${desk().service.origin}/docs`)).text());
  assert.ok(calls.length > 12, `only ${calls.length} calls`);
  for (const block of calls)
    await context.test(`line ${block.line}, ${block.language}`, () => runBlock(block, place, desk()));
});

test('the playground: a render of version 2 as code', async (context) => {
  const place = await desk().folderFor('/playground');
  const url = 'https://example.com';
  const bodies = [
    {
      html: "<h1>It's\n“here”</h1>",
      format: 'webp',
      viewport: { width: 400, pixel_ratio: 2 },
      block: ['cookie_banners'],
    },
    { url, outputs: [{ format: 'png' }, { format: 'pdf' }], response: 'json' },
    { url, format: 'pdf', async: true },
  ];
  for (const body of bodies)
    for (const language of Object.keys(languages) as Language[]) {
      const code = sampleOf(language, { baseUrl: desk().service.origin, endpoint: 'render', body });
      const block = { document: '/playground', line: 0, language, code };
      await context.test(`${language}, ${Object.keys(body).join()}`, () => runBlock(block, place, desk()));
    }
});

testTypes(desk);

test('every command that a text names exists', async () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const [ttHelp, tintypeHelp] = await Promise.all(
    ['clients/cli/src/main.ts --help', 'bin/tintype.js help'].map(
      async (args) => (await run(process.execPath, args.split(' '), { cwd: root })).stdout,
    ),
  );
  const known: Record<string, (name: string) => boolean> = {
    'npm run': (name) => Object.hasOwn(scripts, name),
    tt: (name) => new RegExp(`^  ${name} `, 'm').test(ttHelp ?? ''),
    'npx tintype': (name) => new RegExp(`\\b${name}\\b`).test(tintypeHelp ?? '') || name === 'help',
  };
  const pages = globSync(['*.md', 'docs/**/*.md', 'clients/*/README.md'], { cwd: root }).filter(
    // What it says was true of its version.
    (page) => page !== 'CHANGELOG.md',
  );
  const named = pages.flatMap((document) =>
    [...readFileSync(join(root, document), 'utf8').matchAll(/`(npm run|tt|npx tintype) ([a-z:-]+)/g)].map(
      ([, program = '', name = '']) => ({ document, program, name }),
    ),
  );
  assert.ok(named.length > 40, `only ${named.length} commands`);
  assert.deepEqual(
    named.filter(({ program, name }) => !known[program]!(name)),
    [],
  );
});
