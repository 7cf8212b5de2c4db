// tt list: the account's uploads or renders, the newest first.
import { toSnake } from '../../library/src/letter-case.ts';
import { openService } from '../../shared/src/service.ts';
import { print, UsageError } from '../../shared/src/terminal.ts';
import { number, text, type Command } from './command.ts';
import { sizeOf } from './progress-bar.ts';

const pageSize = 200;

export const list: Command = {
  summary: 'List uploads or renders, the newest first',
  help: `Usage: tt list [uploads | renders] [options]

Prints a line for each: when, how large, its name or page, and its link (- where
the service hosts none). Costs a request and no unit.

Options:
  --limit N          At most N (50); 0 is all
  --search TEXT      Only those with this in the filename or the address
  --json             Print one JSON object per line

Examples:
  tt list
  tt list renders --search example.com
  tt list --limit 0 --json | jq -r .file_url`,
  options: { limit: { type: 'string' }, search: { type: 'string' }, json: { type: 'boolean' } },

  async run({ values, positionals, signal }) {
    const [what = 'uploads', ...others] = positionals;
    if (!['uploads', 'renders'].includes(what) || others.length > 0)
      throw new UsageError('list uploads or renders, one of them');
    const { client } = await openService();
    const search = text(values, 'search');
    let left = number(values, 'limit') ?? 50;
    if (left === 0) left = Infinity;
    let cursor: string | null = null;
    do {
      const options: Parameters<typeof client.listUploads>[0] = {
        limit: Math.min(left, pageSize),
        cursor,
        search,
        signal,
      };
      const page: Awaited<ReturnType<typeof client.listUploads | typeof client.listRenders>> =
        what === 'uploads' ? await client.listUploads(options) : await client.listRenders(options);
      for (const item of page.items) {
        const name = 'target' in item ? item.target : item.filename;
        const size = item.sizeBytes === null ? '-' : sizeOf(item.sizeBytes);
        const line = [item.createdAt.slice(0, 16).replace('T', ' '), size.padStart(9), name, item.url ?? '-'];
        await print(`${values['json'] ? JSON.stringify(toSnake(item)) : line.join('  ')}\n`);
      }
      left -= page.items.length;
      cursor = page.nextCursor;
    } while (cursor !== null && left > 0);
    return 0;
  },
};
