// What a run of tests came to: tests, skips with their reasons and seconds of each file. A file that ran no test fails the run.
import type { EventData } from 'node:test';

export interface FileResult {
  file: string;
  engine: string;
  tests: number;
  failed: number;
  skipped: { title: string; reason: string }[];
  seconds: number;
  /** Of the tests that passed, each with those of the suites around it. */
  titles: string[];
}

type TestEvent =
  | { type: 'test:start'; data: EventData.TestStart }
  | { type: 'test:pass'; data: EventData.TestPass }
  | { type: 'test:fail'; data: EventData.TestFail };

/**
 * Takes the events in the order in which Node reports them: test-together.ts makes each file a suite at the top, and its results come
 * before it.
 */
export function createReport() {
  const results: FileResult[] = [];
  let current = newResult('');
  /** The titles of the suites around the next test. */
  const around: string[] = [];
  let failedOutside = 0;

  return {
    add({ type, data }: TestEvent): void {
      if (type === 'test:start') {
        around.length = data.nesting;
        around[data.nesting] = data.name;
        return;
      }
      const isSuite = data.details.type === 'suite';
      if (data.nesting === 0) {
        if (isSuite) {
          const [file = '', engine = ''] = data.name.split(' on ');
          results.push({ ...current, file, engine, seconds: data.details.duration_ms / 1000 });
        }
        // A process that ended before its time, or a hook around all files.
        else if (type === 'test:fail') failedOutside += 1;
        current = newResult('');
        return;
      }
      if (isSuite) return;
      const title = [...around.slice(1, data.nesting), data.name].join(' › ');
      current.tests += 1;
      if (data.skip !== undefined || data.todo !== undefined) {
        current.skipped.push({ title, reason: String(data.skip ?? data.todo) });
      } else if (type === 'test:fail') current.failed += 1;
      else current.titles.push(title);
    },
    /** What is wrong with the run as a whole, besides the tests that failed. */
    faults(expected: { file: string; engine: string }[]): string[] {
      const ran = new Map(results.map((result) => [titleOf(result), result]));
      const faults = expected.flatMap((one) => {
        const result = ran.get(titleOf(one));
        if (!result) return [`${titleOf(one)} was not run to its end`];
        return result.tests === 0 ? [`${titleOf(one)} ran no test`] : [];
      });
      if (failedOutside > 0) faults.push(`${failedOutside} processes failed outside of their tests`);
      return faults;
    },
    results: (): readonly FileResult[] => results,
    summary(gate: string): string {
      const sum = (count: (result: FileResult) => number): string =>
        results.reduce((total, result) => total + count(result), 0).toLocaleString('en');
      const skips = results.flatMap((result) =>
        result.skipped.map(({ title, reason }) => `  skipped: ${titleOf(result)}: ${title}: ${reason}\n`),
      );
      const counts = `${sum(({ tests }) => tests)} tests, ${sum(({ failed }) => failed)} failed, ${skips.length} skipped`;
      return `${gate}: ${results.length} files, ${counts}\n${skips.join('')}`;
    },
  };
}

/** What test-together.ts calls the suite of a file. */
function titleOf({ file, engine }: { file: string; engine: string }): string {
  return `${file} on ${engine}`;
}

function newResult(file: string): FileResult {
  return { file, engine: '', tests: 0, failed: 0, skipped: [], seconds: 0, titles: [] };
}
