// tt delete: uploads by their delete links.
import { TintypeError } from '../../library/src/errors.ts';
import { openService } from '../../shared/src/service.ts';
import { describe, print, say, UsageError } from '../../shared/src/terminal.ts';
import { readStdin, type Command } from './command.ts';
import { exitCodeOfAll } from './exit-codes.ts';

export const remove: Command = {
  summary: 'Delete uploads by their delete links',
  help: `Usage: tt delete LINK…

Deletes uploads. LINK is the delete_url that "tt upload --json" prints; - reads
links from stdin, one a line. Prints each link that is deleted.

Examples:
  tt delete 'https://images.example.com/api/uploads/…/delete?token=…'
  tt upload --json photo.jpg | jq -r .delete_url | tt delete -`,
  options: {},

  async run({ positionals, signal }) {
    const piped = positionals.includes('-') ? (await readStdin()).split(/\s+/) : [];
    const links = [...positionals.filter((link) => link !== '-'), ...piped.filter(Boolean)];
    if (links.length === 0) throw new UsageError('no delete links; "tt upload --json" prints them');
    const { client } = await openService();
    const failures: TintypeError['code'][] = [];
    for (const link of links) {
      try {
        await client.delete(link, { signal });
        await print(`${link}\n`);
      } catch (error) {
        if (error instanceof TypeError) throw new UsageError(`not a delete link: ${link}`);
        if (!(error instanceof TintypeError)) throw error;
        failures.push(error.code);
        say(`${link}: ${describe(error)}`);
      }
    }
    return exitCodeOfAll(failures, links.length);
  },
};
