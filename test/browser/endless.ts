// Pages and servers that never finish, and tests that each is given up when its budget ends. Spec 4.3, 4.4 (25 s; 60 and 75 s in
// all).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RenderFailure } from '#browser/browser.ts';
import { limits } from '#core/limits.ts';
import type { TestBrowser } from '#test/support/browser.ts';
import type { PageServer, Route } from '#test/support/page-server.ts';

export interface Endless {
  title: string;
  route: Route;
}

/** Each as a screenshot and as a PDF. */
export function testGivenUp(
  endless: readonly Endless[],
  stage: () => { kit: TestBrowser; server: PageServer },
): void {
  for (const [index, { title, route }] of endless.entries()) {
    for (const kind of ['screenshot', 'pdf'] as const) {
      test(`${kind === 'pdf' ? '4.4' : '4.3'} ${title}: ${kind} given up after the navigation budget`, async () => {
        const { kit, server } = stage();
        const url = server.route(`/endless-${index}`, route);
        const startedAt = performance.now();
        await assert.rejects(kind === 'pdf' ? kit.print(url) : kit.shoot(url), (error: RenderFailure) => {
          assert.equal(error.reason, 'timed_out', String(error));
          return true;
        });
        const elapsedMs = performance.now() - startedAt;
        assert.ok(
          elapsedMs >= limits.navigationMs - 50 && elapsedMs < limits.screenshotTotalMs,
          `${elapsedMs} ms`,
        );
      });
    }
  }
}
