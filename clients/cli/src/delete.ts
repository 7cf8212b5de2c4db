// tt delete and tt restore: uploads by their ids.
import { openService } from '../../shared/src/service.ts';
import { print, UsageError } from '../../shared/src/terminal.ts';
import type { Command } from './command.ts';
import { forEachId, idsOf } from './each-id.ts';

export const remove: Command = {
  summary: 'Delete uploads',
  help: `Usage: tt delete ID | LINK…

Deletes uploads, by the id or the delete_url that "tt upload --json" prints; -
reads them from stdin, one a line. Prints each one that is deleted. "tt restore"
undoes it.

Examples:
  tt delete 2kGfYq0c9XwJ1b7uN3tA
  tt list --tag draft --json --limit 0 | jq -r .id | tt delete -`,
  options: {},

  async run({ positionals, signal }) {
    const ids = await idsOf(positionals, 'uploads');
    const { client } = await openService();
    return forEachId(ids, async (id) => {
      if (id.includes('://')) await byLink(id);
      else await client.uploads.delete(id, { signal });
      await print(`${id}\n`);
    });

    async function byLink(link: string): Promise<void> {
      if (!link.includes('/delete?token=')) throw new UsageError(`neither an id nor a delete link: ${link}`);
      await client.delete(link, { signal });
    }
  },
};

export const restore: Command = {
  summary: 'Undo the deletion of uploads',
  help: `Usage: tt restore ID…

Brings deleted uploads back, with their links; - reads ids from stdin, one a
line. Prints the link of each.

Examples:
  tt restore 2kGfYq0c9XwJ1b7uN3tA`,
  options: {},

  async run({ positionals, signal }) {
    const ids = await idsOf(positionals, 'ids');
    const { client } = await openService();
    return forEachId(ids, async (id) => print(`${(await client.uploads.restore(id, { signal })).url}\n`));
  },
};
