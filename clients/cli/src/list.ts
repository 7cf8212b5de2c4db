// tt list: the account's uploads, renders, albums or upload links, the newest first.
import { toCamel, toSnake } from '../../library/src/letter-case.ts';
import type { UploadListOptions } from '../../library/src/options.ts';
import type { Tintype } from '../../library/src/tintype.ts';
import { openService } from '../../shared/src/service.ts';
import { print, UsageError } from '../../shared/src/terminal.ts';
import { number, text, type Command } from './command.ts';
import { sizeOf } from './progress-bar.ts';

/** An item, and its line: the id, how much, where, and what it is called. */
interface Listed {
  item: object;
  line: string[];
}

const kinds: Record<string, (client: Tintype, options: UploadListOptions) => AsyncIterable<Listed>> = {
  async *uploads(client, options) {
    for await (const item of client.uploads.list(options))
      yield { item, line: [item.id, sizeColumn(item.sizeBytes), item.url, item.title ?? item.filename] };
  },
  async *renders(client, { limit, search, signal }) {
    for await (const item of client.listRenders({ limit, search, signal }))
      yield { item, line: [item.id, sizeColumn(item.sizeBytes), item.url ?? '-', item.target] };
  },
  async *albums(client, { limit, signal }) {
    for await (const item of client.albums.list({ limit, signal }))
      yield { item, line: [item.id, String(item.count).padStart(5), item.url, item.title ?? ''] };
  },
  async *'upload-links'(client, { limit, signal }) {
    for await (const item of client.uploadLinks.list({ limit, signal })) {
      const used = `${item.usedFiles} of ${item.maxFiles}`.padStart(9);
      yield { item, line: [item.id, used, `until ${item.expiresAt.slice(0, 16)}Z`, item.title ?? ''] };
    }
  },
};
const listKinds = Object.keys(kinds);

const sizeColumn = (bytes: number | null): string => (bytes === null ? '-' : sizeOf(bytes)).padStart(9);

/** Which kinds a filter is for. */
const filters: Record<string, string[]> = {
  search: ['uploads', 'renders'],
  tag: ['uploads'],
  album: ['uploads'],
  sha256: ['uploads'],
  'created-after': ['uploads'],
  'created-before': ['uploads'],
};

const pageSize = 100;

export const list: Command = {
  summary: 'List uploads, renders, albums or upload links',
  help: `Usage: tt list [uploads | renders | albums | upload-links] [options]

Prints a line for each, the newest first: its id, its size, its link (- where
the service hosts none) and its name. Costs a request and no unit.

Options:
  --limit N          At most N (50); 0 is all
  --search TEXT      Only those with this in the filename, title or address
  --tag TAG          Only uploads with this tag
  --album ID         Only uploads in this album
  --sha256 HASH      Only uploads whose stored bytes have this SHA-256
  --created-after TIME, --created-before TIME
                     Only uploads of this time, such as 2026-01-31T09:00:00Z
  --json             Print one JSON object per line

Examples:
  tt list --tag sea
  tt list renders --search example.com
  tt list --limit 0 --json | jq -r .file_url`,
  options: {
    limit: { type: 'string' },
    search: { type: 'string' },
    tag: { type: 'string' },
    album: { type: 'string' },
    sha256: { type: 'string' },
    'created-after': { type: 'string' },
    'created-before': { type: 'string' },
    json: { type: 'boolean' },
  },

  choices: { '': listKinds },

  async run({ values, positionals, signal }) {
    const [what = 'uploads', ...others] = positionals;
    const read = Object.hasOwn(kinds, what) && others.length === 0 ? kinds[what] : undefined;
    if (!read) throw new UsageError(`list ${listKinds.join(', ')}, one of them`);
    for (const [filter, fits] of Object.entries(filters))
      if (values[filter] !== undefined && !fits.includes(what))
        throw new UsageError(`--${filter} is not for ${what}`);
    let left = number(values, 'limit') ?? 50;
    if (left < 0 || !Number.isInteger(left))
      throw new UsageError('--limit must be a whole number, 0 for all');
    if (left === 0) left = Infinity;
    const { client } = await openService();
    const asked = toCamel(
      Object.fromEntries(Object.keys(filters).map((name) => [name.replaceAll('-', '_'), text(values, name)])),
    );
    for await (const { item, line } of read(client, {
      limit: Math.min(left, pageSize),
      ...(asked as UploadListOptions),
      signal,
    })) {
      await print(`${values['json'] ? JSON.stringify(toSnake(item)) : line.join('  ').trimEnd()}\n`);
      left -= 1;
      if (left === 0) break;
    }
    return 0;
  },
};
