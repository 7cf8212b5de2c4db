// How the link of an upload is printed.
import type { ParseArgsOptionsConfig } from 'node:util';
import type { Upload } from '../../library/src/contract.ts';
import { toSnake } from '../../library/src/letter-case.ts';
import { UsageError } from '../../shared/src/terminal.ts';
import type { Values } from './command.ts';
import type { HelpRow } from './field-flags.ts';

const lines: Record<string, (upload: Upload) => string> = {
  direct: ({ fileUrl }) => fileUrl,
  markdown: ({ filename, fileUrl }) => `![${filename.replaceAll(/[[\]\\]/g, String.raw`\$&`)}](${fileUrl})`,
  html: ({ filename, fileUrl }) => `<img src="${escapeHtml(fileUrl)}" alt="${escapeHtml(filename)}">`,
  bbcode: ({ fileUrl }) => `[img]${fileUrl}[/img]`,
};

export const linkFlags: ParseArgsOptionsConfig = Object.fromEntries(
  [...Object.keys(lines), 'json'].map((name) => [name, { type: 'boolean' }]),
);

export const linkRows: HelpRow[] = [
  ['--direct', 'Print the link of the file instead of the share page'],
  ['--markdown, --html', 'Print the link of the file in that form'],
  ['--bbcode', 'Print the link of the file in that form'],
  ['--json', 'Print one JSON object per file, as the API gives it'],
];

export type UploadOutcome =
  | { ok: true; upload: Upload }
  | { ok: false; error: { code: string; message: string } };

/** Formats the line of a file; undefined if there is none to print. */
export function lineFormat(values: Values): (source: string, item: UploadOutcome) => string | undefined {
  const given = Object.keys(linkFlags).filter((name) => values[name] === true);
  if (given.length > 1) throw new UsageError(`give one of ${given.map((name) => `--${name}`).join(' and ')}`);
  if (values['json'])
    return (source, item) =>
      JSON.stringify({ source, ...(item.ok ? (toSnake(item.upload) as object) : { error: item.error }) });
  const line = lines[given[0] ?? ''] ?? (({ url }: Upload) => url);
  return (_source, item) => (item.ok ? line(item.upload) : undefined);
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
