// An uncaught error: it is logged, requests in flight are answered or aborted, the browser ends with the process, and a restart
// finds everything that was acknowledged.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { faultExitCode } from '#roof/last-resort.ts';
import { serveCommand } from '#lab/prove/serve.ts';
import * as images from '#test/support/images.ts';
import { startPageServer, type PageServer } from '#test/support/page-server.ts';
import { browsers, groupMembers } from '#test/support/process-table.ts';
import { temporaryFolder } from '#test/support/processes.ts';
import { disagreement, endless, readBooks, startProduct } from '#test/support/product.ts';
import { bearer } from '#test/support/requests.ts';
import { uploadOne } from '#test/support/uploading.ts';
import { waitFor } from '#test/support/wait-for.ts';

let site: PageServer;
before(async () => {
  site = await startPageServer({
    '/late': (_request, response) => {
      setTimeout(() => response.setHeader('content-type', 'text/html').end('<p>late'), 1_000);
    },
    '/never': () => {},
  });
});
after(() => site.close());

test('an error is thrown, then a promise rejected: logged as fatal, requests answered or aborted, nothing lost', async (context) => {
  const { path, remove } = await temporaryFolder();
  context.after(remove);
  const faultFile = join(path, 'fault');
  const product = await startProduct({
    environment: { EGRESS_ALLOW: site.host, LOG_LEVEL: 'info' },
    command: serveCommand({ faultFile }),
  });
  context.after(product.stop);
  const key = await product.newKey(endless);
  for (const kind of ['throw', 'reject']) {
    const { serving } = product;
    const groups = browsers(serving.child.pid).map(({ group }) => group);
    assert.ok(groups.length > 0);

    const shoot = (page: string): Promise<string> =>
      fetch(`${serving.origin}/api/v1/screenshot`, {
        method: 'POST',
        headers: { ...bearer(key), 'content-type': 'application/json' },
        body: JSON.stringify({ url: site.base + page, width: 320, height: 320 }),
      }).then(
        async (response) => {
          await response.arrayBuffer();
          return String(response.status);
        },
        () => 'aborted',
      );
    const seen = site.seen.length;
    const [late, never] = [shoot('/late'), shoot('/never')];
    await waitFor('both pages to be asked for', () => site.seen.length >= seen + 2);
    await writeFile(faultFile, `${kind} upload committed`);
    const { slug } = await uploadOne(serving.origin, key, { bytes: await images.png() });
    const { code, stdout } = await serving.ended;

    assert.equal(code, faultExitCode);
    const fatal = stdout
      .split('\n')
      .filter((line) => line.includes('"level":60'))
      .map((line) => JSON.parse(line) as { err: { message: string; stack: string }; origin: string });
    assert.deepEqual(
      fatal.map(({ err, origin }) => [err.message, origin]),
      [['a planted fault', kind === 'throw' ? 'uncaughtException' : 'unhandledRejection']],
    );
    assert.equal(await late, '200');
    assert.ok(['502', 'aborted'].includes(await never), await never);
    await waitFor('the browser to be gone', () => groups.every((group) => groupMembers(group).length === 0));

    assert.equal(disagreement(readBooks(product.path)), undefined);
    await writeFile(faultFile, '');
    // One restart for both, because each takes 4 s of CPU time.
    if (kind === 'reject') break;
    await product.restart();
    const file = await fetch(`${product.serving.origin}/f/${slug}`);
    assert.equal(file.status, 200);
    await file.body?.cancel();
  }
});
