// The short form of a proof, as a test: every finding holds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Proof } from '#prove/proof.ts';

export function testProof({ title, run }: Proof): void {
  test(title, async (context) => {
    const findings = await run('short', (line) => context.diagnostic(line));
    assert.ok(findings.length > 0);
    for (const { what, seen, holds } of findings) assert.ok(holds, `${what}: ${seen}`);
  });
}
