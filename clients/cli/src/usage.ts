// tt usage: the request budget of this minute, asked for; the quotas of this month, as last seen.
import { toSnake } from '../../library/src/letter-case.ts';
import { TintypeError } from '../../library/src/errors.ts';
import type { Quota, RateLimit } from '../../library/src/meta.ts';
import { print, type Command } from './command.ts';
import { checkKey } from './check-key.ts';
import { readSettings } from './settings.ts';
import { recallUsage } from './usage-memory.ts';

export const usage: Command = {
  summary: 'Show the request budget and the monthly quotas',
  help: `Usage: tt usage [--json]

Shows the request budget of the current minute, which costs one request and no unit, and the monthly quotas. The service tells
a quota only with an upload or a render, so the quotas are those of the last one made from here, with its time.

Options:
  --json             Print one JSON object; a quota that was not seen this month is null

Examples:
  tt usage
  tt usage --json | jq .renders.remaining`,
  options: { json: { type: 'boolean' } },

  async run({ values, signal }) {
    const settings = await readSettings();
    const rateLimit = await checkKey(settings, signal).catch(spentBudget);
    const seen = await recallUsage(settings);
    const uploads = thisMonth(seen.uploads);
    const renders = thisMonth(seen.renders);
    if (values['json']) {
      await print(
        `${JSON.stringify(toSnake({ rateLimit: rateLimit ?? null, uploads: uploads ?? null, renders: renders ?? null }))}\n`,
      );
      return 0;
    }
    const budget = rateLimit
      ? `${rateLimit.remaining} of ${rateLimit.limit} left, refills in ${rateLimit.resetSeconds} s`
      : 'not told';
    await print(`requests  ${budget}\nuploads   ${lineOf(uploads)}\nrenders   ${lineOf(renders)}\n`);
    return 0;
  },
};

function spentBudget(error: unknown): RateLimit | undefined {
  if (error instanceof TintypeError && error.code === 'rate_limited') return error.meta?.rateLimit;
  throw error;
}

type Seen = Quota & { seenAt: string };

/** A quota starts anew with the month, UTC. */
function thisMonth(seen: Seen | undefined): Seen | undefined {
  return seen?.seenAt.slice(0, 7) === new Date().toISOString().slice(0, 7) ? seen : undefined;
}

function lineOf(seen: Seen | undefined): string {
  if (!seen) return 'not seen this month';
  const percent = seen.usagePercent === undefined ? '' : ` (${seen.usagePercent} % used)`;
  return `${seen.remaining} of ${seen.limit} left this month${percent}, seen ${seen.seenAt.slice(0, 16).replace('T', ' ')} UTC`;
}
