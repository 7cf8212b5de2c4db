// The OpenAPI document under Spectral with all of its rules. Spectral brings 133 packages, so it is fetched for this test only.
// openapi.test.ts has Redocly's strictest set.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { temporaryFolder } from '#test/support/processes.ts';
import { openapiPath } from '#scripts/document.ts';

const spectral = '@stoplight/spectral-cli@6.16.3';
const ruleset = {
  extends: [['spectral:oas', 'all']],
  rules: {
    // Wants an e-mail address, which the document cannot know: each operator has another.
    'contact-properties': 'off',
  },
};

test('the document is clean under Spectral with all rules', async (context) => {
  const { path: folder, remove } = await temporaryFolder();
  context.after(remove);
  await writeFile(join(folder, 'ruleset.json'), JSON.stringify(ruleset));
  const run = (...args: string[]) =>
    promisify(execFile)('npm', ['exec', '--yes', `--package=${spectral}`, '--', 'spectral', ...args], {
      cwd: folder,
      timeout: 300_000,
    }).catch((error: { stdout: string; stderr: string }) => error);
  const { stdout: version, stderr } = await run('--version');
  if (!/^\d/.test(version)) return context.skip(`${spectral} could not be fetched: ${stderr.slice(0, 300)}`);
  const { stdout } = await run(
    'lint',
    openapiPath,
    '--ruleset',
    'ruleset.json',
    '--format',
    'json',
    '--quiet',
  );
  const problems = JSON.parse(stdout || '[]') as { code: string; message: string; path: string[] }[];
  assert.deepEqual(
    problems.map(({ code, message, path }) => `${code}: ${message} (${path.join('/')})`),
    [],
  );
});
