// GET /metrics: what an operator watches.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createMetrics } from '#http/metrics.ts';

test('the longest pause of the event loop is reported, also to the next reader', async () => {
  const { registry } = createMetrics({ renderQueue: { load: () => ({ running: 0, waiting: 0 }) } });
  await delay(50);
  const held = performance.now() + 300;
  while (performance.now() < held);
  await delay(50);
  for (const reader of ['the first', 'the second']) {
    const text = await registry.metrics();
    const [, seconds] = /^tintype_event_loop_longest_pause_seconds ([\d.]+)$/m.exec(text) ?? [];
    assert.ok(Number(seconds) >= 0.28, `${reader} reads ${seconds} s`);
    assert.match(text, /^# HELP tintype_event_loop_longest_pause_seconds \S/m);
  }
});
