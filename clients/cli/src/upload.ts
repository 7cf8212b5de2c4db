// tt upload: stores files and prints their links.
import { sizeOf } from '../../library/src/files.ts';
import type { UploadSource } from '../../library/src/hosting.ts';
import type { TintypeError } from '../../library/src/errors.ts';
import { endOfRun } from '../../library/src/run-all.ts';
import { openService } from '../../shared/src/service.ts';
import { print, remark, say, UsageError } from '../../shared/src/terminal.ts';
import { copyToClipboard, readClipboardPicture } from './clipboard.ts';
import { text, type Command } from './command.ts';
import { exitCodeOfAll } from './exit-codes.ts';
import { helpTable } from './field-flags.ts';
import { findFiles } from './find-files.ts';
import { lineFormat, linkFlags, linkRows, type UploadOutcome } from './link-lines.ts';
import { createProgressBar, remarkWait } from './progress-bar.ts';
import { uploadFlags } from './upload-flags.ts';

export const upload: Command = {
  summary: 'Store images and print their links',
  help: `Usage: tt upload [options] FILE | URL…

Stores images (PNG, JPEG, GIF, WebP, SVG, AVIF; at most 10 MB each) and prints
the link of each, in order. FILE is a file, a folder (all images in it), a
quoted pattern, or - for stdin. A URL is fetched by the service.

Options:
${helpTable([
  ['--clipboard', 'Upload the picture on the clipboard'],
  ['--name NAME', 'The filename of what comes from stdin or the clipboard'],
  ...uploadFlags.rows,
  ...linkRows,
  ['--copy, --no-copy', 'Copy the links to the clipboard, or not (a terminal: yes)'],
])}

Examples:
  tt upload photo.jpg
  tt upload --expires-in 7d --tag sea 'shots/**/*.png'
  tt upload --json photos/ | jq -r .id
  tt upload --clipboard --markdown`,
  options: {
    clipboard: { type: 'boolean' },
    name: { type: 'string' },
    ...uploadFlags.options,
    ...linkFlags,
    copy: { type: 'boolean' },
    'no-copy': { type: 'boolean' },
  },

  async run({ values, positionals, signal }) {
    const format = lineFormat(values);
    const name = text(values, 'name');
    if (name !== undefined && !positionals.includes('-') && !values['clipboard'])
      throw new UsageError('--name is for what comes from stdin or the clipboard');
    const fields = uploadFlags.read(values);
    const files = values['clipboard']
      ? await clipboardFile(positionals, name)
      : await chooseFiles(positionals, name);
    const { client, note } = await openService();
    const bar = createProgressBar();
    const lines: string[] = [];
    const failures: TintypeError['code'][] = [];
    const waiting = new Map<number, UploadOutcome>();
    let next = 0;

    /** Outcomes arrive in any order; lines are printed in the order of the files. */
    async function printReady(): Promise<void> {
      for (let ready = waiting.get(next); ready; ready = waiting.get(next)) {
        const source = files[next]?.source ?? '';
        // What ends the run is said at its end.
        if (!ready.ok && !endOfRun.includes(ready.error.code))
          say(`${source}: ${ready.error.message} (${ready.error.code})`);
        const line = format(source, ready);
        waiting.delete(next);
        next += 1;
        if (line === undefined) continue;
        lines.push(line);
        await print(`${line}\n`);
      }
    }

    try {
      const onProgress = bar && (await totalProgress(files, bar.show));
      const sources = files.map(({ input }, index) => ({
        file: input,
        ...(onProgress && { onProgress: onProgress(index) }),
      }));
      const outcomes = client.uploads.createAll(sources, { ...fields, signal, onWait: remarkWait });
      for await (const outcome of outcomes) {
        const index = sources.indexOf(outcome.source);
        bar?.clear();
        if (outcome.ok) {
          const { meta, ...result } = outcome.result;
          note('uploads', meta);
          waiting.set(index, { ok: true, upload: result });
        } else {
          const { code, message } = outcome.error;
          failures.push(code);
          waiting.set(index, { ok: false, error: { code, message } });
        }
        await printReady();
      }
      const copies = values['copy'] ?? (process.stdout.isTTY && !values['no-copy']);
      if (copies && lines.length > 0) {
        if (await copyToClipboard(lines.join('\n'))) remark('copied to the clipboard');
        else if (values['copy']) say('not copied: no clipboard was found');
      }
      return exitCodeOfAll(failures, files.length);
    } finally {
      bar?.clear();
    }
  },
};

interface ChosenFile {
  source: string;
  input: UploadSource;
}

async function chooseFiles(positionals: string[], name: string | undefined): Promise<ChosenFile[]> {
  if (positionals.length === 0) throw new UsageError('no files; name some, or - for stdin');
  if (positionals.filter((argument) => argument === '-').length > 1)
    throw new UsageError('stdin can be read once');
  const found: ChosenFile[] = [];
  for (const argument of positionals) {
    if (argument === '-') {
      found.push({ source: '-', input: { data: process.stdin, filename: name ?? 'stdin' } });
    } else if (/^https?:\/\//i.test(argument)) {
      found.push({ source: argument, input: { url: argument } });
    } else {
      for (const path of await findFiles(argument)) found.push({ source: path, input: path });
    }
  }
  return found;
}

async function clipboardFile(positionals: string[], name = 'clipboard.png'): Promise<ChosenFile[]> {
  if (positionals.length > 0) throw new UsageError('give --clipboard or files, one of them');
  const data = await readClipboardPicture();
  if (!data) throw new UsageError('there is no picture on the clipboard, or no program to read it');
  return [{ source: 'clipboard', input: { data, filename: name } }];
}

/** The progress of all files together, told by each. */
async function totalProgress(
  files: ChosenFile[],
  show: (progress: { sentBytes: number; totalBytes: number | undefined }) => void,
) {
  const sizes = await Promise.all(
    files.map(async ({ input }) => (typeof input === 'object' && 'url' in input ? 0 : sizeOf(input))),
  );
  const totalBytes = sizes.reduce<number | undefined>(
    (sum, size) => (sum === undefined || size === undefined ? undefined : sum + size),
    0,
  );
  const sent = sizes.map(() => 0);
  return (index: number) =>
    ({ sentBytes }: { sentBytes: number }): void => {
      sent[index] = sentBytes;
      show({ sentBytes: sent.reduce((sum, bytes) => sum + bytes, 0), totalBytes });
    };
}
