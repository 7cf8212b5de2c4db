// The clauses of docs/contract.md by engine: how many tests that passed have the clause at the beginning of their title, or of the title
// of a suite around them. `4.2.5 every file fails: 415` is a row of 4.2.5, and so of 4.2 and of 4.
import type { Engine } from './test-files.ts';
import type { FileResult } from './test-report.ts';

/** They say what the contract is about or leaves open, and nothing that a service could do wrong. */
const withoutBehaviour = new Set(['1', '4.5', '6']);

/** Headings and points of the contract that begin with a number. */
export function clausesOf(contract: string): string[] {
  return [...contract.matchAll(/^(?:#+ |- \*\*)(?<clause>\d+(?:\.\d+)*)[.\s*]/gm)]
    .map(({ groups }) => groups?.['clause'] ?? '')
    .filter((clause) => !withoutBehaviour.has(clause));
}

/** Of a title with those of the suites around it, the innermost counts. */
function clauseIn(title: string, clauses: ReadonlySet<string>): string | undefined {
  return title
    .split(' › ')
    .map((part) => /^(?<clause>\d+(?:\.\d+)*) /.exec(part)?.groups?.['clause'] ?? '')
    .findLast((clause) => clauses.has(clause));
}

/** How many tests each clause has on the engine. */
export function countClauses(
  clauses: readonly string[],
  results: readonly FileResult[],
  engine: Engine,
): Map<string, number> {
  const counts = new Map(clauses.map((clause) => [clause, 0]));
  const known = new Set(clauses);
  for (const title of results.filter((result) => result.engine === engine).flatMap(({ titles }) => titles)) {
    const parts = clauseIn(title, known)?.split('.') ?? [];
    for (let length = parts.length; length > 0; length -= 1) {
      const clause = parts.slice(0, length).join('.');
      const count = counts.get(clause);
      if (count !== undefined) counts.set(clause, count + 1);
    }
  }
  return counts;
}
