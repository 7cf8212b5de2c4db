// The pages for `tt shots` and `tt pdfs`: one URL per line, or JSON lines, where each page can have a name and options.
import { readFile } from 'node:fs/promises';
import type { ParseArgsOptionsConfig } from 'node:util';
import { UsageError } from '../../shared/src/terminal.ts';
import { readStdin, type Values } from './command.ts';
import { toUrl } from './render-kinds.ts';

export interface ListedPage {
  url: string;
  /** The file's name. Default: made from the address and the options. */
  name?: string | undefined;
  /** Options of the command line, for this page. */
  values: Values;
}

type Fields = Record<string, unknown>;

export async function readList(list: string, flags: ParseArgsOptionsConfig): Promise<ListedPage[]> {
  if (/\.ya?ml$/i.test(list))
    throw new UsageError(
      `${list}: YAML is not read; write one URL or JSON object per line: {"url": "example.com", "name": "home"}`,
    );
  const content = await (list === '-' ? readStdin() : readFile(list, 'utf8')).catch((error: Error) => {
    throw new UsageError(`cannot read ${list}: ${error.message}`);
  });
  const found = lineFields(content.split(/\r?\n/), list);
  if (found.length === 0) throw new UsageError(`no URLs in ${list}`);
  const pages = found.map(({ index, fields }) => atLine(list, index, () => pageOf(fields, flags)));
  return [...new Map(pages.map((page) => [JSON.stringify(page), page])).values()];
}

/** A line is a URL or a JSON object with `url`. Blank lines and lines that begin with # are ignored. */
function lineFields(lines: string[], list: string): { index: number; fields: Fields }[] {
  return lines.flatMap((line, index) => {
    const text = line.trim();
    if (text === '' || text.startsWith('#')) return [];
    return [
      { index, fields: text.startsWith('{') ? atLine(list, index, () => parseObject(text)) : { url: text } },
    ];
  });
}

function parseObject(text: string): Fields {
  try {
    return JSON.parse(text) as Fields;
  } catch (error) {
    throw new UsageError(`not JSON: ${(error as Error).message}`);
  }
}

function pageOf({ url, name, output, ...others }: Fields, flags: ParseArgsOptionsConfig): ListedPage {
  if (typeof url !== 'string') throw new UsageError('url is missing');
  const named = name ?? output;
  // A name must stay inside the output folder.
  if (
    named !== undefined &&
    (typeof named !== 'string' || !/^[^/\\]{1,200}$/.test(named) || named.startsWith('.'))
  )
    throw new UsageError('name must be the name of a file, without folders and not beginning with a dot');
  const values = Object.entries(others).map(([field, value]) => {
    const flag = field.replaceAll('_', '-');
    const kind = Object.hasOwn(flags, flag) ? flags[flag]?.type : undefined;
    if (kind === undefined)
      throw new UsageError(`unknown field "${field}"; known are url, name, ${Object.keys(flags).join(', ')}`);
    if (kind === 'boolean' ? typeof value !== 'boolean' : !['string', 'number'].includes(typeof value))
      throw new UsageError(`${field} must be ${kind === 'boolean' ? 'true or false' : 'a text or a number'}`);
    return [flag, kind === 'boolean' ? value : String(value)];
  });
  return { url: toUrl(url), name: named, values: Object.fromEntries(values) as Values };
}

function atLine<T>(list: string, index: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new UsageError(`line ${index + 1} of ${list}: ${(error as Error).message}`);
  }
}
