// tt open: opens a link or the dashboard in a browser.
import { spawn } from 'node:child_process';
import { readSettings } from '../../shared/src/settings.ts';
import { print, say, UsageError } from '../../shared/src/terminal.ts';
import type { Command } from './command.ts';

export const open: Command = {
  summary: 'Open the dashboard or a link in a browser',
  help: `Usage: tt open [LINK]

Opens the dashboard of the service, or LINK, and prints the address. Without a
browser it only prints it.

Examples:
  tt open
  tt open "$(tt upload photo.jpg)"`,
  options: {},

  async run({ positionals }) {
    if (positionals.length > 1) throw new UsageError('name one link, or none for the dashboard');
    const address = positionals[0] ?? `${(await readSettings()).url}/dashboard`;
    if (!/^https?:\/\//i.test(address) || !URL.canParse(address))
      throw new UsageError(`not a link: ${address}`);
    await print(`${address}\n`);
    if (!(await launch(new URL(address).href))) say('no browser was found');
    return 0;
  },
};

function launch(address: string): Promise<boolean> {
  const commands: Partial<Record<NodeJS.Platform, string[]>> = {
    darwin: ['open'],
    win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  };
  const [command = '', ...args] = commands[process.platform] ?? ['xdg-open'];
  return new Promise((resolve) => {
    const child = spawn(command, [...args, address], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
