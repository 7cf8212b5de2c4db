// Finds the files of an argument: a file, a folder (its images, at any depth) or a pattern that the shell did not expand.
import { readdir, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { UsageError } from '../../shared/src/terminal.ts';

export const imageName = /\.(png|jpe?g|gif|webp|svg|avif)$/i;
const patternCharacters = /[*?[\]{}]/;

export async function findFiles(argument: string): Promise<string[]> {
  const entry = await stat(argument).catch(() => undefined);
  if (entry?.isDirectory()) return orComplain(await walk(argument, imageName), `no images in ${argument}`);
  if (entry) return [argument];
  // A file that cannot be read is reported with its result; the other files are sent.
  if (!patternCharacters.test(argument)) return [argument];
  // The shells of Windows do not expand patterns, and people write \\ there.
  const pattern = sep === '\\' ? argument.replaceAll('\\', '/') : argument;
  const files = await walk(fixedFolder(pattern), patternOf(pattern));
  return orComplain(files, `nothing matches ${argument}`);
}

function orComplain(files: string[], complaint: string): string[] {
  if (files.length === 0) throw new UsageError(complaint);
  return files;
}

/** The files below a folder whose path matches, sorted. Hidden files and linked folders are left out. */
async function walk(folder: string, wanted: RegExp): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    // The folder of a pattern that matches nothing.
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw new UsageError(`cannot read ${folder}: ${error.message}`);
  });
  const found: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.')) continue;
    const path = folder === '.' ? entry.name : join(folder, entry.name);
    // One by one: a call cannot have a hundred thousand arguments.
    if (entry.isDirectory()) for (const inner of await walk(path, wanted)) found.push(inner);
    else if (wanted.test(path.split(sep).join('/'))) found.push(path);
  }
  return found;
}

/** The folder above the first part with a pattern. */
function fixedFolder(pattern: string): string {
  const parts = pattern.split('/');
  const first = parts.findIndex((part) => patternCharacters.test(part));
  return parts.slice(0, first).join('/') || (pattern.startsWith('/') ? '/' : '.');
}

/** Supports `**` (any folders), `*`, `?`, `[a-z]` and `{a,b}`. */
export function patternOf(pattern: string): RegExp {
  const token = /\*\*\/|\*\*|\*|\?|\[!?[^\]]+\]|\{[^}]*\}|[\s\S]/g;
  const source = pattern.replace(/^\.\//, '').replaceAll(token, (part) => {
    if (part === '**/') return '(?:[^/]+/)*';
    if (part === '**') return '.*';
    if (part === '*') return '[^/]*';
    if (part === '?') return '[^/]';
    if (part.startsWith('[') && part.length > 1) return part.replace('[!', '[^').replaceAll('\\', '\\\\');
    if (part.startsWith('{') && part.length > 1) {
      return `(?:${part
        .slice(1, -1)
        .split(',')
        .map((option) => patternOf(option).source.slice(1, -1))
        .join('|')})`;
    }
    return part.replace(/[\\^$.|+()[\]{}/]/, String.raw`\$&`);
  });
  return new RegExp(`^${source}$`);
}
