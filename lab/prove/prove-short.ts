// A proof in its short form is a test: every finding must hold.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Proof } from '#lab/prove/proof.ts';

export function proveShort({ title, run }: Proof): void {
  test(title, async (context) => {
    const findings = await run('short', (line) => context.diagnostic(line));
    assert.ok(findings.length > 0, 'nothing was found out');
    assert.deepEqual(
      findings.filter(({ holds }) => !holds).map(({ what, seen }) => `${what}: ${seen}`),
      [],
    );
  });
}
