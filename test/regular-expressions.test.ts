// Every regular expression of the service and the client takes linear time on any text: one that does not would let a single request
// block the event loop for seconds. An automaton proves each; one that it cannot prove fails the test.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import type { checkSync as checkSyncOf } from 'recheck';
import { parseSync } from 'vite';

/** The build of recheck without a JVM or a native program: the same on every machine. */
const { checkSync } = createRequire(import.meta.url)('recheck/lib/browser.js') as {
  checkSync: typeof checkSyncOf;
};
const root = join(import.meta.dirname, '..');
const folders = ['src', 'clients'];

/** Unproven expressions, each with the reason why it is safe. The key is `file: source`. */
const allowed: Record<string, string> = {
  'clients/cli/src/find-files.ts: new RegExp(`^${source}$`)':
    'made from a glob that the user types, and matched against the paths of their own files',
};

interface Expression {
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

const expressions = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|tsx|js)$/.test(entry.name))
    // What is built from these files, perhaps at this moment by another test.
    .filter((entry) => !entry.parentPath.startsWith(join(root, 'clients', 'dist')))
    .flatMap((entry) => expressionsIn(join(entry.parentPath, entry.name))),
);

test('the search finds every way to write a regular expression', () => {
  const text = `
    const a = /a+/g; const b = new RegExp('b+', 'i'); const c = RegExp(\`c\${a}\`);
    a.source.match('d'); text.search(pattern); text.matchAll(new globalThis.RegExp('e'));
    const f = Type.String({ pattern: '^f$' }); const g = { pattern };`;
  const found = expressionsOf('example.ts', text).map(({ pattern, flags }) => [pattern, flags]);
  assert.deepEqual(found, [
    ['a+', 'g'],
    ['b+', 'i'],
    [undefined, ''],
    ['d', ''],
    [undefined, ''],
    ['e', ''],
    ['^f$', ''],
  ]);
});

test('the proof rejects an expression that takes quadratic time', () => {
  for (const pattern of [String.raw`\s*;\s*`, '[. ]+$', '(a|a)*b', String.raw`^(\/[^\s?]*)\S* HTTP`]) {
    assert.equal(checkSync(pattern, '', { checker: 'automaton' }).status, 'vulnerable', pattern);
  }
});

test('every regular expression is linear', (context) => {
  const proven = new Map<string, boolean>();
  const unproven: string[] = [];
  for (const { place, pattern, flags } of expressions) {
    if (place in allowed) continue;
    const key = `${flags} ${pattern}`;
    const isLinear = proven.get(key) ?? (pattern !== undefined && isProven(pattern, flags));
    proven.set(key, isLinear);
    if (!isLinear) unproven.push(place);
  }
  context.diagnostic(
    `${expressions.length - unproven.length - Object.keys(allowed).length} expressions proven linear (${proven.size} different), ${Object.keys(allowed).length} allowed with a reason`,
  );
  assert.deepEqual(unproven, []);
  assert.ok(expressions.length > 100, `found only ${expressions.length}`);
});

test('every allowed unproven expression still exists', () => {
  const places = new Set(expressions.map(({ place }) => place));
  assert.deepEqual(
    Object.keys(allowed).filter((place) => !places.has(place)),
    [],
  );
});

function isProven(pattern: string, flags: string): boolean {
  // recheck's fuzzer only searches for an attack; its automaton proves that there is none.
  const { status } = checkSync(pattern, flags, { checker: 'automaton', timeout: 60_000 });
  return status === 'safe';
}

function expressionsIn(path: string): Expression[] {
  return expressionsOf(relative(root, path).replaceAll('\\', '/'), readFileSync(path, 'utf8'));
}

function expressionsOf(file: string, text: string): Expression[] {
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
