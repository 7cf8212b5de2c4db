// A histogram of what every request does once or more. prom-client's own writes labels and bounds as text for each observation, which
// costs an upload 5 % of its processor time; here it costs two additions.
import type { Histogram } from 'prom-client';

interface Series {
  labels: Record<string, string>;
  /** How many were at most each bound and more than the one before; the last number is of those past all bounds. */
  counts: number[];
  sum: number;
}

export function createFastHistogram<const Names extends readonly string[]>(settings: {
  name: string;
  help: string;
  labelNames: Names;
  buckets: readonly number[];
}) {
  const { name, help, labelNames, buckets } = settings;
  const series = new Map<string, Series>();

  function newSeries(values: readonly string[]): Series {
    const labels = Object.fromEntries(labelNames.map((label, place) => [label, values[place] ?? '']));
    return { labels, counts: [...buckets, Infinity].fill(0), sum: 0 };
  }

  /** `values` are those of the labels, in their order. */
  function observe(value: number, ...values: { [Place in keyof Names]: string }): void {
    const key = values.join('\n');
    const known = series.get(key) ?? newSeries(values);
    series.set(key, known);
    let place = 0;
    while (place < buckets.length && value > buckets[place]!) place += 1;
    known.counts[place]! += 1;
    known.sum += value;
  }

  function linesOf({ labels, counts, sum }: Series) {
    let total = 0;
    const lines = counts.map((count, place) => {
      total += count;
      return {
        metricName: `${name}_bucket`,
        labels: { le: buckets[place] ?? '+Inf', ...labels },
        value: total,
      };
    });
    return [
      ...lines,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: total },
    ];
  }

  /** All that a registry asks of a metric; the type has more, for who observes. */
  const get = async () => ({
    name,
    help,
    type: 'histogram',
    aggregator: 'sum',
    values: [...series.values()].flatMap(linesOf),
  });
  return { observe, metric: { name, labelNames, get } as unknown as Histogram };
}
