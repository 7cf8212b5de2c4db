// tt watch: uploads each image that appears in a folder, until interrupted.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { realClock } from '../../library/src/clock.ts';
import { TintypeError } from '../../library/src/errors.ts';
import { endOfRun } from '../../library/src/run-all.ts';
import { openService } from '../../shared/src/service.ts';
import { describe, print, remark, say, UsageError } from '../../shared/src/terminal.ts';
import { copyToClipboard } from './clipboard.ts';
import { number, type Command } from './command.ts';
import { exitCodes } from './exit-codes.ts';
import { imageName } from './find-files.ts';
import { helpTable } from './field-flags.ts';
import { lineFormat, linkFlags, linkRows } from './link-lines.ts';
import { uploadFlags } from './upload-flags.ts';

export const watch: Command = {
  summary: 'Upload each image that appears in a folder',
  help: `Usage: tt watch [options] FOLDER

Uploads every new image in FOLDER as soon as it is completely written, and
prints its link. Images that are already there are not uploaded. Ctrl-C ends it.

Options:
${helpTable([
  ...uploadFlags.rows,
  ...linkRows,
  ['--copy', 'Copy each link to the clipboard'],
  ['--interval SECONDS', 'How often to look (1)'],
])}

Examples:
  tt watch ~/Pictures/Screenshots --copy
  tt watch --expires-in 7d --markdown shots`,
  options: {
    ...uploadFlags.options,
    ...linkFlags,
    copy: { type: 'boolean' },
    interval: { type: 'string' },
  },

  async run({ values, positionals, signal }) {
    const [folder, ...others] = positionals;
    if (folder === undefined || others.length > 0) throw new UsageError('name one folder');
    const format = lineFormat(values);
    const fields = uploadFlags.read(values);
    const intervalMs = Math.max(0.1, number(values, 'interval') ?? 1) * 1000;
    const { client, note } = await openService();
    const known = await sizesIn(folder);
    const growing = new Map<string, string>();
    remark(`watching ${folder}; Ctrl-C ends it`);

    while (!signal.aborted) {
      await realClock.sleep(intervalMs, signal).catch(() => undefined);
      for (const [name, state] of signal.aborted ? [] : await sizesIn(folder)) {
        if (known.get(name) === state) continue;
        // Sent when it did not change between two looks: a program may still be writing it.
        if (growing.get(name) === state) {
          known.set(name, state);
          growing.delete(name);
          await send(name);
        } else {
          growing.set(name, state);
        }
      }
    }
    return exitCodes.ok;

    async function send(name: string): Promise<void> {
      const source = join(folder as string, name);
      try {
        const { meta, ...upload } = await client.uploads.create(source, { ...fields, signal });
        note('uploads', meta);
        const line = format(source, { ok: true, upload }) ?? '';
        await print(`${line}\n`);
        if (values['copy'] && (await copyToClipboard(line))) remark('copied to the clipboard');
      } catch (error) {
        if (!(error instanceof TintypeError)) {
          if (signal.aborted) return;
          throw error;
        }
        say(`${source}: ${describe(error)}`);
        // The next file would fail for the same reason.
        if (endOfRun.includes(error.code)) throw error;
      }
    }
  },
};

/** For each image its size and time, which show whether it has changed. */
async function sizesIn(folder: string): Promise<Map<string, string>> {
  const names = await readdir(folder).catch((error: Error) => {
    throw new UsageError(`cannot read ${folder}: ${error.message}`);
  });
  const found = new Map<string, string>();
  for (const name of names.filter((candidate) => imageName.test(candidate) && !candidate.startsWith('.'))) {
    const entry = await stat(join(folder, name)).catch(() => undefined);
    if (entry?.isFile() && entry.size > 0) found.set(name, `${entry.size} ${entry.mtimeMs}`);
  }
  return found;
}
