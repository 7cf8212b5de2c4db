// What a benchmark returns: figures, each a ratio of two things measured in the same run.
import { summarise, type Summary } from '#lab/bench/measure.ts';

export interface Goal {
  atMost?: number;
  atLeast?: number;
}

export interface Figure {
  benchmark: string;
  /** What was measured: "200 KB, requests". */
  subject: string;
  unit: 'ms' | 'per second' | 'MB' | 'KB' | 's';
  /** `ours` is what the goal applies to, `theirs` what it is compared with. */
  ours: Summary;
  against: string;
  theirs: Summary;
  /** Ours divided by theirs: the medians, or what `of` names. */
  ratio: number;
  of?: 'p99';
  goal?: Goal;
}

/** `say` prints progress; `args` are the words that follow the benchmark's name on the command line. */
export type Benchmark = (say: (line: string) => void) => Promise<Figure[]>;

export function figure(
  described: Pick<Figure, 'benchmark' | 'subject' | 'unit' | 'against' | 'goal' | 'of'>,
  ours: number[],
  theirs: number[],
): Figure {
  const [mine, other] = [summarise(ours), summarise(theirs)];
  const of = described.of ?? 'median';
  return { ...described, ours: mine, theirs: other, ratio: mine[of] / other[of] };
}

export function isReached({ ratio, goal }: Figure): boolean | undefined {
  if (!goal) return undefined;
  // Compared as printed: 1.004 against a goal of 1.00 is not a measurable shortfall.
  const shown = Number(ratio.toFixed(2));
  return shown <= (goal.atMost ?? Infinity) && shown >= (goal.atLeast ?? -Infinity);
}

/** The columns of a figure, for the terminal and for the page. */
export function columnsOf(figure: Figure): string[] {
  const { subject, unit, ours, against, theirs, ratio, goal, of } = figure;
  const inWords = of ? (summary: Summary) => number(summary[of]) : spreadInWords;
  return [
    subject,
    unit,
    inWords(ours),
    against,
    inWords(theirs),
    ratio.toFixed(2),
    goal ? goalInWords(goal) : '',
    { true: 'reached', false: 'short', undefined: '' }[String(isReached(figure))] ?? '',
  ];
}

export const columnNames = ['', 'unit', 'Tintype', 'against', 'theirs', 'ratio', 'goal', ''];

function goalInWords({ atMost, atLeast }: Goal): string {
  return atMost === undefined ? `≥ ${atLeast?.toFixed(2)}` : `≤ ${atMost.toFixed(2)}`;
}

function spreadInWords({ median, p10, p90, count }: Summary): string {
  return count === 1 ? number(median) : `${number(median)} (${number(p10)} to ${number(p90)})`;
}

function number(value: number): string {
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);
}
