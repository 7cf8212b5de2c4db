// Our own histogram is read as prom-client's is after the same observations.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Histogram, Registry } from 'prom-client';
import { createFastHistogram } from '#server/fast-histogram.ts';

const settings = {
  name: 'answers_seconds',
  help: 'How long answers took.',
  buckets: [0.001, 0.0025, 0.01, 1],
  labelNames: ['route', 'kind'] as const,
};

test('it reads as one of prom-client does, also on its bounds and past them', async () => {
  const [theirs, ours] = [new Registry(), new Registry()];
  const expected = new Histogram({ ...settings, registers: [theirs] });
  const { observe, metric } = createFastHistogram(settings);
  ours.registerMetric(metric);
  assert.equal(await ours.metrics(), await theirs.metrics());
  for (const seconds of [0, 0.0005, 0.001, 0.0011, 0.0025, 0.5, 1, 1.5, 90]) {
    expected.observe({ route: '/a', kind: 'read' }, seconds);
    observe(seconds, '/a', 'read');
  }
  expected.observe({ route: '/a', kind: '' }, 0.002);
  observe(0.002, '/a', '');
  assert.equal(await ours.metrics(), await theirs.metrics());
  assert.match(await ours.metrics(), /^answers_seconds_bucket\{le="0.001",route="\/a",kind="read"\} 3$/m);
});
