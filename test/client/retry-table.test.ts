// The retry rules of both clients side by side, as lab/figures/clients.md shows them: what a server answers, how often each client sends the
// request, and how long it waits in between. `UPDATE_TABLES=1` before the command writes the table into the document.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Tintype } from '#client/index.ts';
import { root } from '#test/support/processes.ts';
import { skip, startPython, stopPython } from './python.ts';
import { final, persisting, succeeding } from './retry-cases.ts';
import { createFakeClock, refusal, startFaultServer, type Fault } from './support.ts';

const guide = join(root, 'lab/figures/clients.md');
const [begin, end] = ['<!-- begin: retry table -->', '<!-- end: retry table -->'];

const cases: { title: string; faults: Fault[] }[] = [
  // One row, as long as both clients treat all of these codes alike.
  ...final.map(({ status, code }) => ({
    title: 'an error that is not to be retried',
    faults: [refusal(status, code)],
  })),
  ...succeeding.slice(1),
  ...persisting.map(({ title, fault }) => ({ title: `${title}, every time`, faults: [fault] })),
];

test('both clients send and wait alike, and lab/figures/clients.md has the table', { skip }, async () => {
  const server = await startFaultServer();
  const python = startPython({ TINTYPE_URL: server.origin, TINTYPE_API_KEY: 'tt_key' });
  const rows = new Set<string>();
  try {
    for (const { title, faults } of cases) {
      server.play(...faults);
      const clock = createFakeClock();
      const client = new Tintype({ baseUrl: server.origin, apiKey: 'tt_key', clock });
      await client.screenshot('https://example.com/').catch(() => undefined);
      const ours = cellsOf(server.seen.length, clock.waits);
      server.play(...faults);
      const { waits } = await python.call({ method: 'screenshot', args: ['https://example.com/'] });
      const theirs = cellsOf(server.seen.length, waits);
      assert.equal(theirs, ours, title);
      rows.add(`| ${title} | ${ours} | ${theirs} |`);
    }
  } finally {
    await stopPython(python);
    await server.stop();
  }
  const table = ['| the service answers | TypeScript | Python |', '|---|---|---|', ...rows].join('\n');
  process.stdout.write(`${table}\n`);
  const text = readFileSync(guide, 'utf8');
  const [before = '', rest = ''] = text.split(begin);
  const [, after = ''] = rest.split(end);
  const updated = `${before}${begin}\n\n${table}\n\n${end}${after}`;
  if (process.env['UPDATE_TABLES'] === '1') writeFileSync(guide, updated);
  assert.equal(updated, readFileSync(guide, 'utf8'));
});

const cellsOf = (sent: number, waits: number[]): string =>
  waits.length === 0 ? `${sent}` : `${sent}: ${waits.map((ms) => ms / 1000).join(', ')} s`;
