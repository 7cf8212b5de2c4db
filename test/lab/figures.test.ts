// The arithmetic that every published figure rests on.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawChart } from '#lab/bench/chart.ts';
import { columnsOf, figure, isReached } from '#lab/bench/figures.ts';
import { alternate, alternateLoad, summarise } from '#lab/bench/measure.ts';

const described = { benchmark: 'b', subject: 'a <subject>', unit: 'per second', against: 'floor' } as const;

test('a summary has the median and the percentiles', () => {
  const values = Array.from({ length: 101 }, (_, index) => 100 - index);
  assert.deepEqual(summarise(values), { median: 50, p10: 10, p90: 90, p99: 99, count: 101 });
  assert.deepEqual(summarise([7]), { median: 7, p10: 7, p90: 7, p99: 7, count: 1 });
});

test('a goal is reached or not, on the two digits that are printed', () => {
  const reached = (ratio: number, goal: object) =>
    isReached({ ...figure({ ...described, goal }, [ratio], [1]) });
  assert.equal(reached(0.8, { atLeast: 0.8 }), true);
  assert.equal(reached(0.79, { atLeast: 0.8 }), false);
  assert.equal(reached(1.204, { atMost: 1.2 }), true);
  assert.equal(reached(1.21, { atMost: 1.2 }), false);
  assert.equal(isReached(figure(described, [1], [1])), undefined);
});

test('a figure in columns', () => {
  assert.deepEqual(columnsOf(figure({ ...described, goal: { atLeast: 0.8 } }, [900, 1000, 1100], [2000])), [
    'a <subject>',
    'per second',
    '1000 (900 to 1100)',
    'floor',
    '2000',
    '0.50',
    '≥ 0.80',
    'short',
  ]);
});

test('contenders take turns, forwards and backwards', async () => {
  const order: string[] = [];
  const times = await alternate({ a: async () => order.push('a'), b: async () => order.push('b') }, 3, 1);
  assert.equal(order.join(''), 'baabbaab');
  assert.equal(times.a.length, 3);
});

test('a load is so many pieces of work in each turn, over all lanes', async () => {
  const lanes = new Set<number>();
  let pieces = 0;
  const work = async (lane: number) => {
    lanes.add(lane);
    pieces += 1;
  };
  const { a } = await alternateLoad({ a: work }, { lanes: 3, turns: 2, turn: { pieces: 9 } });
  assert.equal(pieces, 27);
  assert.deepEqual([...lanes], [0, 1, 2]);
  assert.equal(a.perSecond.length, 2);
  assert.equal(a.latencyMs.length, 18);
});

test('a chart has a bar for each figure, and no markup from their names', () => {
  const chart = drawChart('t', [figure(described, [2], [1]), figure(described, [1], [2])]);
  assert.equal(chart.match(/<rect /g)?.length, 2);
  assert.ok(chart.includes('a &lt;subject>'));
});
