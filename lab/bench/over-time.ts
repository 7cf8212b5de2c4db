// Draws latencies over time: for each kind of request the median and the 99th percentile of every second, on a logarithmic
// scale, with a mark where something happened.
import type { Arrival } from '#lab/bench/arrivals.ts';
import { summarise } from '#lab/bench/measure.ts';

export interface Course {
  title: string;
  arrivals: Arrival[];
  marks: { at: number; what: string }[];
}

const width = 980;
const panel = 150;
const left = 60;
const top = 30;

export function drawCourses(courses: Course[]): string {
  const height = courses.length * panel + 24;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Latency over time">
<style>
  text { font: 12px system-ui, sans-serif; fill: #24292f; }
  .title { font-weight: 600; }
  .quiet { fill: #57606a; }
  .grid { stroke: #d0d7de; }
  .mark { stroke: #8250df; stroke-dasharray: 3 3; }
  .median { stroke: #2da44e; fill: none; stroke-width: 1.5; }
  .p99 { stroke: #cf222e; fill: none; stroke-width: 1.5; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .quiet { fill: #9198a1; }
    .grid { stroke: #3d444d; }
  }
</style>
${courses.map(drawCourse).join('\n')}
<text class="quiet" x="8" y="${height - 6}">Milliseconds from the moment a request was due, by second: green the median, red the 99th percentile.</text>
</svg>
`;
}

function drawCourse({ title, arrivals, marks }: Course, index: number): string {
  const seconds = Map.groupBy(arrivals, ({ at }) => Math.floor(at));
  const points = [...seconds].map(([second, group]) => ({ second, ...summarise(group.map(({ ms }) => ms)) }));
  const last = Math.max(...seconds.keys()) + 1;
  const decades = {
    from: Math.floor(Math.log10(Math.min(...points.map(({ median }) => median)))),
    to: Math.ceil(Math.log10(Math.max(...points.map(({ p99 }) => p99)))),
  };
  const y0 = index * panel + top;
  const plot = panel - top - 18;
  const x = (second: number) => (left + (second / last) * (width - left - 20)).toFixed(1);
  const y = (ms: number) =>
    (y0 + plot * (1 - (Math.log10(ms) - decades.from) / Math.max(1, decades.to - decades.from))).toFixed(1);
  const line = (name: 'median' | 'p99') =>
    `<polyline class="${name}" points="${points.map((point) => `${x(point.second + 0.5)},${y(point[name])}`).join(' ')}"/>`;
  const scale = Array.from(
    { length: decades.to - decades.from + 1 },
    (_, step) => 10 ** (decades.from + step),
  );
  return [
    `<text class="title" x="8" y="${y0 - 12}">${title}</text>`,
    ...scale.map(
      (ms) =>
        `<line class="grid" x1="${left}" x2="${width - 20}" y1="${y(ms)}" y2="${y(ms)}"/>` +
        `<text class="quiet" x="${left - 8}" y="${y(ms)}" text-anchor="end">${Number(ms.toPrecision(1))}</text>`,
    ),
    ...marks.map(
      ({ at, what }) =>
        `<line class="mark" x1="${x(at)}" x2="${x(at)}" y1="${y0}" y2="${y0 + plot}"/>` +
        `<text class="quiet" x="${x(at)}" y="${y0 - 2}">${what}</text>`,
    ),
    line('median'),
    line('p99'),
  ].join('\n');
}
