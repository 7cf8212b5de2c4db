// GET /metrics: what an operator watches.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseYaml } from '@redocly/openapi-core';
import { RenderFailure } from '#browser/browser.ts';
import { createMetrics } from '#server/metrics.ts';
import { createTestClock } from '#test/support/clock.ts';
import * as images from '#test/support/images.ts';
import { freePort, root } from '#test/support/processes.ts';
import { bearer, formOf, post } from '#test/support/requests.ts';
import { startService } from '#test/support/service.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { idleBrowser } from '#test/support/stand-in-browser.ts';

const unused = (load = () => ({ running: 0, waiting: 0 }), clock = createTestClock()) =>
  createMetrics({
    version: '1.2.3',
    clock,
    renderQueue: { load },
    renders: { onEnd: () => {} },
    browser: idleBrowser,
    timings: { database: { listen: () => {} }, store: { listen: () => {} } },
    blobs: { uploads: { storedBytes: () => 0 }, renders: { storedBytes: () => 0 } },
  });

test('what happened is counted: bytes, files of a batch that were refused, how renders ended and how long they waited', async () => {
  const service = await startService({ EGRESS_ALLOW: '127.0.0.1:9' }, 0, undefined, {
    openBrowser: async () => ({
      render: () => Promise.reject(new RenderFailure('crashed', 'this browser renders nothing')),
      ...idleBrowser,
      workerCounts: () => ({ started: 3, replaced: 1, lost: 2, idle: 0 }),
    }),
  });
  try {
    const { key } = await service.newKey();
    const picture = await images.png();
    const files: [Buffer, string][] = [
      [picture, 'a.png'],
      [Buffer.from('no picture'), 'b.png'],
    ];
    const batch = await post(`${service.origin}/api/v1/upload/batch`, {
      body: formOf(files),
      headers: bearer(key),
    });
    assert.equal(batch.status, 207);
    const shot = await post(`${service.origin}/api/v1/screenshot`, {
      body: JSON.stringify({ url: 'http://127.0.0.1:9/' }),
      headers: { ...bearer(key), 'content-type': 'application/json' },
    });
    assert.equal(shot.status, 502);
    const text = await (await fetch(`${service.origin}/metrics`)).text();
    for (const line of [
      /^tintype_build_info\{version="\d+\.\d+\.\d+"\} 1$/m,
      new RegExp(`^tintype_stored_bytes_total\\{kind="uploads"\\} ${picture.length}$`, 'm'),
      /^tintype_stored_bytes_total\{kind="renders"\} 0$/m,
      /^tintype_store_duration_seconds_count\{operation="write"\} 1$/m,
      /^tintype_database_duration_seconds_count\{operation="query"\} [1-9]\d*$/m,
      /^tintype_database_duration_seconds_count\{operation="commit"\} [1-9]\d*$/m,
      /^tintype_batch_files_refused_total\{code="unsupported_type"\} 1$/m,
      /^tintype_renders_ended_total\{result="crashed"\} 1$/m,
      /^tintype_render_duration_seconds_count\{result="failed"\} 1$/m,
      /^tintype_render_queue_seconds_count 1$/m,
      /^tintype_render_workers_total\{event="lost"\} 2$/m,
      /^tintype_browser_release_timestamp_seconds\{version="150\.0\.1\.2"\} 1782777600$/m,
    ])
      assert.match(text, line);
  } finally {
    await service.stop();
  }
});

test('the text is drawn once a second, whoever asks', async () => {
  const clock = createTestClock(0);
  let drawn = 0;
  const metrics = unused(() => ({ running: (drawn += 1), waiting: 0 }), clock);
  const ask = () => Promise.all(Array.from({ length: 20 }, () => metrics.text()));
  for (const expected of [1, 1, 2]) {
    const texts = await ask();
    assert.equal(drawn, expected);
    assert.ok(texts.every((text) => text.includes(`tintype_renders{state="running"} ${expected}`)));
    await clock.advance(500);
  }
});

test('METRICS_PORT: on loopback alone, and not at the port of the service', async () => {
  const port = await freePort();
  const service = await startService({ METRICS_PORT: String(port) });
  const statusOf = async (url: string) => (await fetch(url)).status;
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
    assert.match(await answer.text(), /^tintype_build_info/m);
    assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=/);
    assert.deepEqual(
      [await statusOf(`${service.origin}/metrics`), await statusOf(`http://127.0.0.1:${port}/healthz`)],
      [404, 404],
    );
    // Another address of the machine.
    await assert.rejects(fetch(`http://127.0.0.2:${port}/metrics`));
  } finally {
    await service.stop();
  }
  await assert.rejects(fetch(`http://127.0.0.1:${port}/metrics`));
});

const deployed = (path: string): string => readFileSync(join(root, 'deploy', path), 'utf8');

test('the board, the alerts and the rule of the autoscaler use metrics and labels that are served', async () => {
  const served = new Map<string, string[]>();
  const { registry } = unused();
  for (const { name, type, ...metric } of await registry.getMetricsAsJSON()) {
    const { labelNames = [] } = registry.getSingleMetric(name) as { labelNames?: string[] };
    assert.ok(metric.help);
    const isHistogram = String(type) === 'histogram';
    const names = isHistogram ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name];
    for (const one of names) served.set(one, [...labelNames, ...(isHistogram ? ['le'] : [])]);
  }
  // Prometheus itself adds these.
  served.set('up', []);
  const added = ['job', 'instance', 'pod', 'namespace'];
  const rules = parseYaml(deployed('prometheus/alerts.yml')) as {
    groups: { rules: { alert: string; expr: string }[] }[];
  };
  const board = JSON.parse(deployed('grafana/tintype.json')) as {
    panels: { title: string; targets: { expr: string }[] }[];
  };
  const adapter = parseYaml(deployed('prometheus/adapter.yml')) as {
    rules: { seriesQuery: string; name: { as: string } }[];
  };
  const expressions: [string, string][] = [
    ...rules.groups.flatMap(({ rules: all }) =>
      all.map(({ alert, expr }): [string, string] => [alert, expr]),
    ),
    ...board.panels.flatMap(({ title, targets }) =>
      targets.map(({ expr }): [string, string] => [title, expr]),
    ),
    ...adapter.rules.map(({ name, seriesQuery }): [string, string] => [name.as, seriesQuery]),
  ];
  assert.ok(expressions.length > 20);
  for (const [title, expression] of expressions) {
    const used = [...expression.matchAll(/\b(\w+)\{([^}]*)\}/g)];
    assert.ok(used.length > 0, title);
    const grouped = [...expression.matchAll(/ by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '));
    for (const [, name = '', matchers = ''] of used) {
      const labels = served.get(name);
      assert.ok(labels, `${title}: ${name} is not served`);
      const selected = [...matchers.matchAll(/(\w+)(?:=|!=|=~)"/g)].map(([, label = '']) => label);
      for (const label of [...selected, ...grouped])
        assert.ok(labels.includes(label) || added.includes(label), `${title}: ${name} has no label ${label}`);
    }
  }
  const names = [...deployed('kubernetes/autoscaler.yaml').matchAll(/metric: \{ name: (\w+) \}/g)];
  assert.deepEqual(
    names.map(([, name]) => name),
    adapter.rules.map(({ name }) => name.as),
  );
});

test('promtool finds nothing wrong with the alerts', (context) => {
  if (spawnSync('promtool', ['--version']).status !== 0) {
    context.skip('there is no promtool on this machine');
    return;
  }
  const { status, stderr } = spawnSync('promtool', [
    'check',
    'rules',
    join(root, 'deploy/prometheus/alerts.yml'),
  ]);
  assert.equal(status, 0, stderr.toString());
});

test('the longest pause of the event loop is reported, also to the next reader', async () => {
  const { registry } = unused();
  const read = async (): Promise<number> => {
    const text = await registry.metrics();
    assert.match(text, /^# HELP tintype_event_loop_longest_pause_seconds \S/m);
    return Number(/^tintype_event_loop_longest_pause_seconds ([\d.]+)$/m.exec(text)?.[1]);
  };
  await waitFor('a first measurement', async () => (await read()) > 0);
  const held = Date.now() + 300;
  while (Date.now() < held);
  await waitFor('the pause to be reported', async () => (await read()) >= 0.28);
  assert.ok((await read()) >= 0.28, 'another reader has it too');
});
