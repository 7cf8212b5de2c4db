// The client's generated files are those of the OpenAPI document of today.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { clientContract } from '../../scripts/client-contract.ts';

for (const [file, text] of Object.entries(clientContract())) {
  test(`client/src/${file} is up to date`, () => {
    const committed = readFileSync(join(import.meta.dirname, '../../client/src', file), 'utf8');
    assert.equal(committed, text, 'run: node scripts/client-contract.ts');
  });
}
