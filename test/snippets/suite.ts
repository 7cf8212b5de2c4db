// Runs the code blocks of documents as they stand, against a service. A new block is run too, unless not-run.ts says why it cannot be.
// Only addresses, keys and folders are replaced: `placeholders` in desk.ts.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { root } from '#test/support/processes.ts';
import { fencedBlocks, type Block } from './blocks.ts';
import { setDesk, type Desk } from './desk.ts';
import { reasonNotToRun, staleEntries } from './not-run.ts';
import { checkTypes, runs } from './run.ts';

/** This begins in the clone of the service, which must stay as it is for `git pull`. */
const inClone = ['docs/quickstart.md'];

export function testBlocksOf(patterns: string[]): { desk: () => Desk; run: typeof runBlock } {
  const documents = globSync(patterns, { cwd: root }).toSorted();
  const blocks = documents.flatMap((document) =>
    fencedBlocks(document, readFileSync(join(root, document), 'utf8')),
  );
  let desk: Desk;

  before(async () => {
    desk = await setDesk();
    const options = { cwd: desk.folder, env: desk.environment };
    const clients = `${desk.service.origin}/clients`;
    await promisify(execFile)('npm', ['install', `${clients}/tintype-client.tgz`], options);
    await promisify(execFile)('npm', ['install', '-g', `${clients}/tintype-cli.tgz`], options);
  });
  after(() => desk.close());

  test('the list of blocks that are not run is up to date', () => {
    assert.ok(blocks.length > 3, `only ${blocks.length} blocks`);
    assert.deepEqual(staleEntries(documents, blocks), []);
  });

  for (const document of documents) {
    const own = blocks.filter((block) => block.document === document);
    if (own.length === 0) continue;
    describe(document, () => {
      let [place, files]: [string, string[]] = ['', []];
      before(async () => {
        place = await desk.folderFor(document);
        files = readdirSync(place);
      });
      for (const block of asPrograms(own)) {
        test(`line ${block.line}, ${block.language}`, async (context) => {
          const reason = reasonNotToRun(block);
          if (reason !== undefined) return context.skip(reason);
          await runBlock(block, place, desk);
        });
      }
      if (inClone.includes(document)) {
        test('the clone stays as it was', () => assert.deepEqual(readdirSync(place), files));
      }
    });
  }

  return { desk: () => desk, run: runBlock };
}

/** To be called last: the programs are those that were run. */
export function testTypes(desk: () => Desk): void {
  test('the JavaScript of the documents is strict TypeScript too', async () => {
    assert.ok(desk().programs.length > 0);
    await checkTypes(desk());
  });
}

async function runBlock({ language, code }: Block, place: string, desk: Desk): Promise<void> {
  const run = runs[language];
  assert.ok(run, `test/snippets/run.ts does not know the language "${language}"`);
  await run(await desk.fill(code), place, desk);
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
