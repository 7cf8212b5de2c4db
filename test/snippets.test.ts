// Every code block of the documents and every call that /docs shows is run as it stands, against a service. A new block is run too, unless
// test/snippets/not-run.ts says why it cannot be. Only addresses, keys and folders are replaced: `placeholders` in test/snippets/desk.ts.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { root } from '#lab/support/processes.ts';
import { fencedBlocks, pageBlocks, type Block } from './snippets/blocks.ts';
import { setDesk, type Desk } from './snippets/desk.ts';
import { reasonNotToRun, staleEntries } from './snippets/not-run.ts';
import { runs } from './snippets/run.ts';

const run = promisify(execFile);
const documents = globSync(['README.md', 'docs/**/*.md', 'clients/*/README.md'], { cwd: root }).toSorted();
const blocks = documents.flatMap((document) =>
  fencedBlocks(document, readFileSync(join(root, document), 'utf8')),
);
let desk: Desk;

before(async () => {
  desk = await setDesk();
  await run('npm', ['install', `${desk.service.origin}/clients/tintype-client.tgz`], {
    cwd: desk.folder,
    env: desk.environment,
  });
});
after(() => desk.close());

test('the list of blocks that are not run is up to date', () => {
  assert.ok(blocks.length > 15, `only ${blocks.length} blocks`);
  assert.deepEqual(staleEntries(blocks), []);
});

for (const document of documents) {
  const own = blocks.filter((block) => block.document === document);
  if (own.length === 0) continue;
  describe(document, () => {
    let place: string;
    before(async () => {
      place = await desk.folderFor(document);
    });
    for (const block of asPrograms(own)) {
      test(`line ${block.line}, ${block.language}`, async (context) => {
        const reason = reasonNotToRun(block);
        if (reason !== undefined) return context.skip(reason);
        const runBlock = runs[block.language];
        assert.ok(runBlock, `test/snippets/run.ts does not know the language "${block.language}"`);
        await runBlock(desk.fill(block.code), place, desk);
      });
    }
  });
}

/** The JavaScript of a document is one program: a block uses what the blocks above it have declared. */
function asPrograms(own: Block[]): Block[] {
  const scripts = own.filter(({ language }) => language === 'js');
  const whole = scripts.map(({ code }) => code).join('\n');
  return own.flatMap((block) => {
    if (block.language !== 'js') return [block];
    return block === scripts[0] ? [{ ...block, code: whole }] : [];
  });
}

test('/docs: every call', async (context) => {
  const place = await desk.folderFor('/docs');
  const calls = pageBlocks(await (await fetch(`${desk.service.origin}/docs`)).text());
  assert.ok(calls.length > 12, `only ${calls.length} calls`);
  for (const { language, line, code } of calls)
    await context.test(`line ${line}, ${language}`, () => runs[language]!(desk.fill(code), place, desk));
});

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
    // Its name in 0.1.0, which still works.
    tt: (name) => new RegExp(`^  ${name} `, 'm').test(ttHelp ?? '') || name === 'usage',
    'npx tintype': (name) => new RegExp(`\\b${name}\\b`).test(tintypeHelp ?? '') || name === 'help',
  };
  const pages = [...documents, 'CONTRIBUTING.md', 'SECURITY.md', 'ARCHITECTURE.md'];
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
