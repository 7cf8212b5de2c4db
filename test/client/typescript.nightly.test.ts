// The types of the packed library under old and new TypeScript, in each way of finding modules, without skipLibCheck.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { temporaryFolder } from '#test/support/processes.ts';
import { installLibrary } from './packed-library.ts';
import { typedProgram } from './typed-program.ts';

const run = promisify(execFile);
/** The oldest supported, one in between, the last written in JavaScript, and the project's own. */
const versions = ['5.0.4', '5.4.5', '5.9.3', '7.0.2'];
/** `node10` is called `node` in 5.0, and TypeScript 7 no longer has it. */
const resolutions: { module: string; moduleResolution: string; files: string[]; until?: number }[] = [
  { module: 'node16', moduleResolution: 'node16', files: ['esm.mts', 'cjs.cts'] },
  { module: 'esnext', moduleResolution: 'bundler', files: ['esm.mts'] },
  { module: 'commonjs', moduleResolution: 'node', files: ['plain.ts'], until: 6 },
];
let folder: string;
let remove: () => Promise<void>;

before(async () => {
  ({ path: folder, remove } = await temporaryFolder());
  await installLibrary(folder);
  for (const name of ['esm.mts', 'cjs.cts', 'plain.ts']) await writeFile(join(folder, name), typedProgram);
});
after(() => remove());

for (const version of versions) {
  test(`TypeScript ${version}`, async (context) => {
    const place = join(folder, `typescript-${version}`);
    const fetched = spawnSync(
      'npm',
      ['install', `typescript@${version}`, '--prefix', place, '--no-audit', '--no-fund', '--no-save'],
      { cwd: folder, encoding: 'utf8', timeout: 300_000 },
    );
    if (fetched.status !== 0)
      return context.skip(`typescript@${version} could not be fetched: ${fetched.stderr.slice(0, 300)}`);
    for (const { files, until = Infinity, ...how } of resolutions) {
      if (Number.parseInt(version, 10) >= until) continue;
      const compilerOptions = {
        ...how,
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        skipLibCheck: false,
        target: 'es2022',
        lib: ['es2022', 'dom', 'dom.iterable'],
        types: [],
        noEmit: true,
      };
      const project = join(folder, `tsconfig.${version}.${how.moduleResolution}.json`);
      await writeFile(project, JSON.stringify({ compilerOptions, files }));
      const compiler = join(place, 'node_modules/typescript/bin/tsc');
      const { stdout } = await run(process.execPath, [compiler, '-p', project]).catch(
        (error: { stdout: string }) => error,
      );
      assert.equal(stdout, '', `${how.moduleResolution}\n${await readFile(project, 'utf8')}`);
    }
  });
}
