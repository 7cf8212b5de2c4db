// tt upload: stores files and prints their links.
import type { BatchItem } from '../../library/src/batch-result.ts';
import type { FileInput } from '../../library/src/files.ts';
import { openService } from '../../shared/src/service.ts';
import { print, say, UsageError } from '../../shared/src/terminal.ts';
import { copyToClipboard, readClipboardPicture } from './clipboard.ts';
import { text, type Command } from './command.ts';
import { exitCodeOfAll } from './exit-codes.ts';
import { findFiles } from './find-files.ts';
import { lineFormat, linkFlags, linkFlagsHelp } from './link-lines.ts';
import { createProgressBar } from './progress-bar.ts';

export const upload: Command = {
  summary: 'Store images and print their links',
  help: `Usage: tt upload [options] FILE…

Stores images (PNG, JPEG, GIF, WebP, SVG, AVIF; at most 10 MB each) and prints
the link of each, in order. FILE is a file, a folder (all images in it), a
quoted pattern, or - for stdin.

Options:
  --clipboard        Upload the picture on the clipboard
  --expires-in TIME  Let the links expire: seconds, or a number with s, m, h, d
  --name NAME        The filename of what comes from stdin or the clipboard
${linkFlagsHelp}
  --copy, --no-copy  Copy the links to the clipboard, or not (a terminal: yes)

Examples:
  tt upload photo.jpg
  tt upload --expires-in 7d 'shots/**/*.png'
  tt upload --json photos/ | jq -r .delete_url
  tt upload --clipboard --markdown`,
  options: {
    clipboard: { type: 'boolean' },
    'expires-in': { type: 'string' },
    name: { type: 'string' },
    ...linkFlags,
    copy: { type: 'boolean' },
    'no-copy': { type: 'boolean' },
  },

  async run({ values, positionals, signal }) {
    const format = lineFormat(values);
    const name = text(values, 'name');
    if (name !== undefined && !positionals.includes('-') && !values['clipboard'])
      throw new UsageError('--name is for what comes from stdin or the clipboard');
    const files = values['clipboard']
      ? await clipboardFile(positionals, name)
      : await chooseFiles(positionals, name);
    const expiresIn = parseDuration(text(values, 'expires-in'));
    const { client, note } = await openService();
    const bar = createProgressBar();
    const lines: string[] = [];
    const waiting = new Map<number, BatchItem>();
    let next = 0;
    let printing = Promise.resolve();

    /** Outcomes arrive in any order; lines are printed in the order of the files. */
    const onItem = (item: BatchItem): void => {
      waiting.set(item.index, item);
      bar?.clear();
      for (let ready = waiting.get(next); ready; ready = waiting.get(next)) {
        const source = files[next]?.source ?? '';
        if (!ready.ok) say(`${source}: ${ready.error.message} (${ready.error.code})`);
        const line = format(source, ready);
        if (line !== undefined) {
          lines.push(line);
          printing = printing.then(() => print(`${line}\n`));
        }
        waiting.delete(next);
        next += 1;
      }
    };

    try {
      const { items, meta } = await client.uploadBatch(
        files.map(({ input }) => input),
        {
          signal,
          onItem,
          ...(expiresIn !== undefined && { expiresIn }),
          ...(bar && { onProgress: bar.show }),
        },
      );
      note('uploads', meta);
      const copies = values['copy'] ?? (process.stdout.isTTY && !values['no-copy']);
      if (copies && lines.length > 0) {
        if (await copyToClipboard(lines.join('\n'))) say('copied to the clipboard');
        else if (values['copy']) say('not copied: no clipboard was found');
      }
      return exitCodeOfAll(
        items.flatMap((item) => (item.ok ? [] : [item.error.code])),
        items.length,
      );
    } finally {
      bar?.clear();
      await printing;
    }
  },
};

async function chooseFiles(
  positionals: string[],
  name: string | undefined,
): Promise<{ source: string; input: FileInput }[]> {
  if (positionals.length === 0) throw new UsageError('no files; name some, or - for stdin');
  if (positionals.filter((argument) => argument === '-').length > 1)
    throw new UsageError('stdin can be read once');
  const found: { source: string; input: FileInput }[] = [];
  for (const argument of positionals) {
    if (argument === '-') {
      found.push({ source: '-', input: { data: process.stdin, filename: name ?? 'stdin' } });
    } else {
      for (const path of await findFiles(argument)) found.push({ source: path, input: path });
    }
  }
  return found;
}

async function clipboardFile(positionals: string[], name = 'clipboard.png') {
  if (positionals.length > 0) throw new UsageError('give --clipboard or files, one of them');
  const data = await readClipboardPicture();
  if (!data) throw new UsageError('there is no picture on the clipboard, or no program to read it');
  return [{ source: 'clipboard', input: { data, filename: name } }];
}

const secondsOf = { s: 1, m: 60, h: 3600, d: 86_400 };

export function parseDuration(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const [, amount, unit = 's'] = /^(\d+)([smhd])?$/.exec(value) ?? [];
  if (amount === undefined)
    throw new UsageError(`--expires-in must be like 3600, 90m, 12h or 7d, not "${value}"`);
  return Number(amount) * secondsOf[unit as keyof typeof secondsOf];
}
