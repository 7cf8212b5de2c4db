// Pages and servers that never finish, and tests that each is given up when its budget ends. Spec 4.3, 4.4. That the budget of a request
// is 25 s is shown by lower-request.test.ts and same-job.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RenderFailure } from '#browser/browser.ts';
import type { TestBrowser } from '#test/support/browser.ts';
import type { PageServer, Route } from '#test/support/page-server.ts';

export interface Endless {
  title: string;
  route: Route;
}

/** Each as a screenshot and as a PDF. */
export function testGivenUp(
  endless: readonly Endless[],
  navigationMs: number,
  stage: () => { kit: TestBrowser; server: PageServer },
): void {
  for (const [index, { title, route }] of endless.entries()) {
    for (const kind of ['screenshot', 'pdf'] as const) {
      test(`${kind === 'pdf' ? '4.4' : '4.3'} ${title}: ${kind} given up after the navigation budget`, async () => {
        const { kit, server } = stage();
        const url = server.route(`/endless-${index}`, route);
        const render = kind === 'pdf' ? kit.print(url, { navigationMs }) : kit.shoot(url, { navigationMs });
        await assert.rejects(render, (error: RenderFailure) => {
          // The budget of the load, not the time of the whole render.
          assert.deepEqual(
            [error.reason, error.message],
            ['timed_out', `the page did not load within ${navigationMs / 1000} s`],
          );
          return true;
        });
      });
    }
  }
}
