// The names of files in which renders are kept, and the formats that their endings stand for.
import { withoutTail } from '../../library/src/without-tail.ts';
import { UsageError } from './terminal.ts';

/** A name that every file system accepts: www.example.com/a/b?c=d → www.example.com-a-b-c-d */
export function nameAfter(url: string): string {
  const { host, pathname, search } = new URL(url);
  const name = `${host}${pathname}${search}`.replaceAll(/[^\p{L}\p{N}.]+/gu, '-').replace(/^[-.]+/, '');
  return withoutTail(name, '-.').slice(0, 80) || 'page';
}

const endings: Record<string, string> = {
  jpeg: 'jpg',
  text: 'txt',
  markdown: 'md',
  metadata: 'json',
  accessibility: 'json',
};
export const endingOf = (format: string): string => endings[format] ?? format;

const formatOfEnding: Record<string, string> = {
  png: 'png',
  jpg: 'jpeg',
  jpeg: 'jpeg',
  webp: 'webp',
  pdf: 'pdf',
  html: 'html',
  mhtml: 'mhtml',
  txt: 'text',
  md: 'markdown',
  json: 'metadata',
};
const otherEndings = ['gif', 'avif', 'svg', 'bmp', 'tif', 'tiff', 'heic', 'ico', 'jxl'];

/** The format to render: the requested one, or that of the file's ending. A file never holds another format than its name says. */
export function formatFor(
  output: string | undefined,
  asked: string | undefined,
  possible: readonly string[],
): string | undefined {
  const ending = /\.([a-z]{2,5})$/i.exec(output ?? '')?.[1]?.toLowerCase() ?? '';
  const format = Object.hasOwn(formatOfEnding, ending) ? formatOfEnding[ending] : undefined;
  if (format === undefined && !otherEndings.includes(ending)) return asked;
  if (format === undefined || !possible.includes(format))
    throw new UsageError(`${output}: cannot make .${ending}, only ${possible.join(', ')}`);
  if (asked !== undefined && asked !== format && endingOf(asked) !== ending)
    throw new UsageError(`${output}: is not the name of a ${asked}`);
  return asked ?? format;
}
