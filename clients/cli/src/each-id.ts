// Commands that do the same with each of several ids, which may come from stdin.
import { TintypeError } from '../../library/src/errors.ts';
import { describe, say, UsageError } from '../../shared/src/terminal.ts';
import { readStdin } from './command.ts';
import { exitCodeOfAll } from './exit-codes.ts';

export async function idsOf(positionals: string[], what: string): Promise<string[]> {
  const piped = positionals.includes('-') ? (await readStdin()).split(/\s+/) : [];
  const ids = [...positionals.filter((id) => id !== '-'), ...piped.filter(Boolean)];
  if (ids.length === 0) throw new UsageError(`no ${what}; name some, or - for stdin`);
  return ids;
}

/** A failure is said, and the others are done. Returns the exit code. */
export async function forEachId(ids: string[], act: (id: string) => Promise<void>): Promise<number> {
  const failures: TintypeError['code'][] = [];
  for (const id of ids) {
    try {
      await act(id);
    } catch (error) {
      if (!(error instanceof TintypeError)) throw error;
      failures.push(error.code);
      say(`${id}: ${describe(error)}`);
    }
  }
  return exitCodeOfAll(failures, ids.length);
}
