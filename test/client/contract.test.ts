// The client's generated files are those of the OpenAPI document of today, and its library stands alone.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { version } from '#client/version.ts';
import { clientsVersion } from '#site/clients-version.ts';
import { temporaryFolder } from '#test/support/processes.ts';
import { buildClients } from '#scripts/build-clients.ts';
import { clientContract } from '../../scripts/client-contract.ts';
import { clientsDigest, recordedVersion } from '../../scripts/client-version.ts';

for (const [file, text] of Object.entries(clientContract())) {
  test(`clients/${file} is up to date`, () => {
    const committed = readFileSync(join(import.meta.dirname, '../../clients', file), 'utf8');
    assert.equal(committed, text, 'run: npm run document');
  });
}

test('the version of the clients has risen with their last change, and is the same everywhere', () => {
  const recorded = recordedVersion();
  assert.equal(
    clientsDigest(),
    recorded.digest,
    `the clients are not those of version ${recorded.version}; npm run document raises it`,
  );
  assert.deepEqual([version, clientsVersion], [recorded.version, recorded.version]);
});

test('a build of other clients under the same version is refused, and leaves nothing', async (context) => {
  const { path, remove } = await temporaryFolder();
  context.after(remove);
  const { version: same } = recordedVersion();
  const folder = join(path, 'dist');
  await assert.rejects(buildClients(folder, { version: same, digest: 'another' }), /npm run document/);
  assert.equal(existsSync(folder), false);
});

test('the library imports nothing but itself, and files only where a path was given', () => {
  const folder = join(import.meta.dirname, '../../clients/library/src');
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  const foreign = files.flatMap((name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    return [...text.matchAll(/(?:from|import\()\s*'([^']+)'/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^\.\/[\w-]+\.ts$/.test(target))
      .map((target) => `${name}: ${target}`);
  });
  assert.ok(files.length > 10);
  assert.deepEqual(foreign, ['paths.ts: node:fs/promises']);
});

test('shared/ imports the library only, and tt and the MCP server do not import each other', () => {
  const mayImport: Record<string, string[]> = {
    shared: ['library'],
    cli: ['library', 'shared'],
    mcp: ['library', 'shared'],
  };
  for (const [name, others] of Object.entries(mayImport)) {
    const folder = join(import.meta.dirname, '../../clients', name, 'src');
    const outside = readdirSync(folder).flatMap((file) =>
      [...readFileSync(join(folder, file), 'utf8').matchAll(/from '\.\.\/\.\.\/(\w+)\//g)].map(
        ([, target = '']) => target,
      ),
    );
    assert.deepEqual([...new Set(outside)].toSorted(), others, name);
  }
});
