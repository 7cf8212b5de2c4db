// Draws the ratios of one benchmark as bars from the line of equality, to the right where Tintype is better; a mark shows each
// goal. The picture follows the light or dark theme of its page.
import { isReached, type Figure } from '#lab/bench/figures.ts';

const width = 980;
const labels = 540;
const rowHeight = 24;
const top = 40;
/** The scale is logarithmic to base 2, so that twice as good and half as good are equally far from the middle. */
const doublings = { from: -2, to: 4 };
const scale = (width - labels - 70) / (doublings.to - doublings.from);

export function drawChart(title: string, figures: Figure[]): string {
  const height = top + figures.length * rowHeight + 34;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(title)}">
<style>
  text { font: 12px system-ui, sans-serif; fill: #24292f; }
  .title { font-weight: 600; font-size: 14px; }
  .quiet { fill: #57606a; }
  .grid { stroke: #d0d7de; }
  .even { stroke: #57606a; }
  .goal { stroke: #24292f; stroke-width: 2; }
  .better { fill: #2da44e; }
  .worse { fill: #8c959f; }
  .short { fill: #cf222e; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .quiet { fill: #9198a1; }
    .grid { stroke: #3d444d; }
    .even { stroke: #9198a1; }
    .goal { stroke: #e6edf3; }
    .better { fill: #3fb950; }
    .worse { fill: #656c76; }
    .short { fill: #f85149; }
  }
</style>
<text class="title" x="8" y="20">${escape(title)}</text>
${grid(height)}
${figures.map(row).join('\n')}
<text class="quiet" x="8" y="${height - 8}">Bars: how many times as good as the other (higher rate, lower time or memory). Numbers: ours over theirs. │ goal</text>
</svg>
`;
}

function grid(height: number): string {
  const lines: string[] = [];
  for (let doubling = doublings.from; doubling <= doublings.to; doubling += 1) {
    const x = xOf(2 ** doubling);
    const bottom = height - 28;
    lines.push(
      `<line class="${doubling === 0 ? 'even' : 'grid'}" x1="${x}" x2="${x}" y1="${top - 4}" y2="${bottom}"/>`,
      `<text class="quiet" x="${x}" y="${top - 8}" text-anchor="middle">${timesInWords(doubling)}</text>`,
    );
  }
  return lines.join('\n');
}

function row(figure: Figure, index: number): string {
  const { subject, against, ratio, goal } = figure;
  const y = top + index * rowHeight;
  const middle = y + rowHeight / 2 + 4;
  const advantage = advantageOf(figure, ratio);
  const [from, to] = [Math.min(xOf(1), xOf(advantage)), Math.max(xOf(1), xOf(advantage))];
  const kind = isReached(figure) === false ? 'short' : advantage >= 1 ? 'better' : 'worse';
  const goalX = goal && xOf(advantageOf(figure, goal.atMost ?? goal.atLeast ?? 1));
  return [
    `<text x="${labels - 8}" y="${middle}" text-anchor="end">${escape(subject)} <tspan class="quiet">/ ${escape(against)}</tspan></text>`,
    `<rect class="${kind}" x="${from}" y="${y + 5}" width="${Math.max(1, to - from)}" height="${rowHeight - 10}"/>`,
    goalX === undefined
      ? ''
      : `<line class="goal" x1="${goalX}" x2="${goalX}" y1="${y + 2}" y2="${y + rowHeight - 2}"/>`,
    `<text x="${Math.max(to, goalX ?? 0) + 6}" y="${middle}">${ratio.toFixed(2)}</text>`,
  ].join('');
}

/** For a rate more is better; for a time or memory, less. */
function advantageOf({ unit }: Figure, ratio: number): number {
  return unit === 'per second' ? ratio : 1 / ratio;
}

function xOf(advantage: number): number {
  const doubling = Math.min(doublings.to, Math.max(doublings.from, Math.log2(advantage)));
  return Math.round(labels + 10 + (doubling - doublings.from) * scale);
}

function timesInWords(doubling: number): string {
  return doubling < 0 ? `1/${2 ** -doubling}` : `${2 ** doubling}×`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
