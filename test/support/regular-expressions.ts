// The regular expressions of the service and the clients, and the proof that one takes linear time on any text: an automaton gives it,
// or fails to. A proof takes up to a second, so what was proven once is kept in a list, which `npm run document` extends.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import type { checkSync as checkSyncOf } from 'recheck';
import { parseSync } from 'vite';

/** The build of recheck without a JVM or a native program: the same on every machine. */
const { checkSync } = createRequire(import.meta.url)('recheck/lib/browser.js') as {
  checkSync: typeof checkSyncOf;
};
const root = join(import.meta.dirname, '..', '..');
const folders = ['src', 'clients'];

export const provenPath = join(root, 'test', 'fixtures', 'proven-expressions.json');

/** Unproven expressions, each with the reason why it is safe. The key is `file: source`. */
export const allowed: Record<string, string> = {
  'clients/cli/src/find-files.ts: new RegExp(`^${source}$`)':
    'made from a glob that the user types, and matched against the paths of their own files',
};

export interface Expression {
  place: string;
  /** Undefined if the source is not a literal; such an expression cannot be proven. */
  pattern: string | undefined;
  flags: string;
}

interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

/** Every expression in the sources. */
export function findExpressions(): Expression[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(ts|tsx|js)$/.test(entry.name))
      // What is built from these files, perhaps at this moment by another test.
      .filter((entry) => !entry.parentPath.startsWith(join(root, 'clients', 'dist')))
      .flatMap((entry) => expressionsIn(join(entry.parentPath, entry.name))),
  );
}

/** As it is written in the list of those that are proven. */
export const nameOf = ({ pattern, flags }: Pick<Expression, 'pattern' | 'flags'>): string =>
  `/${pattern}/${flags}`;

export function readProven(): string[] {
  return JSON.parse(readFileSync(provenPath, 'utf8')) as string[];
}

/** The list for these sources: what it has of them, and what can be proven anew. */
export function provenText(): string {
  const known = new Set(readProven());
  const proven = new Set<string>();
  for (const { pattern, flags } of findExpressions()) {
    if (pattern === undefined) continue;
    const name = nameOf({ pattern, flags });
    if (!proven.has(name) && (known.has(name) || isLinear(pattern, flags))) proven.add(name);
  }
  return `${JSON.stringify([...proven].toSorted(), null, 2)}\n`;
}

export function isLinear(pattern: string, flags: string): boolean {
  // recheck's fuzzer only searches for an attack; its automaton proves that there is none.
  return checkSync(pattern, flags, { checker: 'automaton', timeout: 60_000 }).status === 'safe';
}

/** Whether an attack on it was found. */
export function isVulnerable(pattern: string): boolean {
  return checkSync(pattern, '', { checker: 'automaton' }).status === 'vulnerable';
}

function expressionsIn(path: string): Expression[] {
  return expressionsOf(relative(root, path).replaceAll('\\', '/'), readFileSync(path, 'utf8'));
}

export function expressionsOf(file: string, text: string): Expression[] {
  const { program, errors } = parseSync(file, text);
  assert.deepEqual(errors, [], file);
  const found: Expression[] = [];
  visit(program, (node) => {
    const add = (pattern: string | undefined, flags = '') =>
      found.push({ place: `${file}: ${text.slice(node.start, node.end)}`, pattern, flags });
    const {
      regex,
      callee,
      arguments: given = [],
    } = node as Node & {
      regex?: { pattern: string; flags: string };
      callee?: Node & { name?: string; property?: { name?: string } };
      arguments?: Node[];
    };
    if (node.type === 'Literal' && regex) add(regex.pattern, regex.flags);
    if (node.type === 'NewExpression' || node.type === 'CallExpression') {
      const name = callee?.name ?? callee?.property?.name;
      if (name === 'RegExp') add(textOf(given[0]), textOf(given[1]));
      // These turn any string argument into a regular expression.
      const isSearch = node.type === 'CallExpression' && ['match', 'matchAll', 'search'].includes(name ?? '');
      const isMade =
        given[0] && !(given[0] as { regex?: unknown }).regex && given[0].type !== 'NewExpression';
      if (isSearch && callee?.type === 'MemberExpression' && isMade) add(textOf(given[0]));
    }
    // A JSON schema has its expressions as strings.
    const { key, value } = node as Node & { key?: { name?: string }; value?: Node };
    const pattern = node.type === 'Property' && key?.name === 'pattern' ? textOf(value) : undefined;
    if (pattern !== undefined) add(pattern);
  });
  return found;
}

function textOf(node: Node | undefined): string | undefined {
  return node?.type === 'Literal' && typeof node['value'] === 'string' ? node['value'] : undefined;
}

function visit(node: unknown, look: (node: Node) => void): void {
  if (typeof node !== 'object' || node === null) return;
  if ('type' in node) look(node as Node);
  for (const child of Object.values(node)) visit(child, look);
}
