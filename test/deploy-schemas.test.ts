// The compose file and the Kubernetes manifests match their schemas exactly: a misspelt field fails here, not on somebody's cluster.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseYaml } from '@redocly/openapi-core';
import { Compile } from 'typebox/schema';
import { root } from '#test/support/processes.ts';

interface Manifest {
  apiVersion: string;
  kind: string;
}

const parse = (path: string): unknown => parseYaml(readFileSync(join(root, 'deploy', path), 'utf8'));

function composeFaults(file: unknown): string[] {
  // The schema of the Compose specification, from the dclint package.
  const path = join(root, 'node_modules', 'dclint', 'schemas', 'compose.schema.json');
  const schema = JSON.parse(readFileSync(path, 'utf8')) as object;
  return Compile(schema)
    .Errors(file)[1]
    .map(({ instancePath, message }) => `${instancePath} ${message}`);
}

test('the compose file matches its specification', () => {
  const file = parse('compose.yaml') as { services: { tintype: Record<string, unknown> } };
  assert.deepEqual(composeFaults(file), []);
  file.services.tintype['security-opt'] = [];
  assert.notDeepEqual(composeFaults(file), [], 'the check catches a misspelt field');
});

test('every manifest matches the Kubernetes API', () => {
  const names = readdirSync(join(root, 'deploy', 'kubernetes')).filter(
    // Kustomize reads this one itself; test/deploy.test.ts compares its list with the folder.
    (name) => name !== 'kustomization.yaml',
  );
  const manifests = names.map((name) => parse(`kubernetes/${name}`) as Manifest);
  assert.equal(manifestFaults(manifests), '');
  const [first] = manifests;
  assert.match(manifestFaults([{ ...first, spek: {} } as unknown as Manifest]), /'"spek"' does not exist/);
});

/** The compiler reports missing, unknown and wrongly typed fields, using the types of the API. */
function manifestFaults(manifests: Manifest[]): string {
  const folder = join(root, 'test', 'output', `manifests-${process.pid}`);
  const file = join(folder, 'manifests.ts');
  mkdirSync(folder, { recursive: true });
  try {
    const lines = manifests.map(
      (manifest) =>
        `(${JSON.stringify(manifest)}) satisfies import('kubernetes-models/${manifest.apiVersion}/${manifest.kind}').I${manifest.kind};`,
    );
    writeFileSync(file, `${lines.join('\n')}\nexport {};\n`);
    const options = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext'];
    const { stdout } = spawnSync(join(root, 'node_modules', '.bin', 'tsc'), [...options, file]);
    return stdout.toString();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
