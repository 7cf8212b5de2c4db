// The line for the machine's own capacity; what every such line does is tested with core/fair-queue.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRenderQueue } from '#renders/render-queue.ts';

test('4.3 who waits too long is told concurrency_limited', async () => {
  const queue = createRenderQueue({ concurrency: 1, maxWaitMs: 20 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const running = [queue.run('a', () => promise), queue.run('b', () => promise)];
  await assert.rejects(
    queue.run('c', async () => {}),
    { code: 'concurrency_limited' },
  );
  resolve();
  await Promise.all(running);
});
