// tt delete and tt restore: uploads by their ids, and renders by their links.
import { openService } from '../../shared/src/service.ts';
import { print, UsageError } from '../../shared/src/terminal.ts';
import type { Command } from './command.ts';
import { forEachId, idsOf } from './each-id.ts';

/** Of any of its files: the further ones have a number. */
const renderLink = /^https?:\/\/[^/]+\/[sp]\/([A-Za-z0-9]+)(?:-\d+)?$/;

export const remove: Command = {
  summary: 'Delete uploads and renders',
  help: `Usage: tt delete ID | LINK…

Deletes uploads, by the id or the delete_url that "tt upload --json" prints, and
hosted renders, by the link of a file (/s/… or /p/…); - reads them from stdin,
one a line. Prints each one that is deleted. "tt restore" undoes it for uploads.

Examples:
  tt delete 2kGfYq0c9XwJ1b7uN3tA
  tt delete https://images.example.com/s/9dKkSWnKOXqE2mVqbWfH
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
      const render = renderLink.exec(link)?.[1];
      if (render !== undefined) await client.deleteRender(render, { signal });
      else if (link.includes('/delete?token=')) await client.delete(link, { signal });
      else
        throw new UsageError(
          `neither an id, a delete link nor the link of a render: ${link}; "tt list" shows ids`,
        );
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
