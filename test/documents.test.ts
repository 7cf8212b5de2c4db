// Checks the documents against the repository: every clause, path and decision that they or the code name exists.
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { errorCodes } from '#core/errors.ts';
import { errorsPath, errorsText } from '#scripts/document.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
// What is built, and where other tests write and delete files while this one reads.
const passing = /(^|\/)(node_modules|dist|\.git|output|lint-check-\w+)(\/|$)/;
const find = (pattern: string | string[]): string[] =>
  globSync(pattern, { cwd: root, exclude: (path) => passing.test(path) }).toSorted();

const documents = find(['*.md', 'docs/**/*.md', 'clients/*/*.md', 'deploy/**/*.md', 'lab/**/*.md']);
const code = find('{src,test,lab,clients,dashboard,scripts}/**/*.{ts,tsx,js}');

test('every clause of the contract that code and tests name is in docs/contract.md', () => {
  const contract = read('docs/contract.md');
  const clauses = new Set(
    [...contract.matchAll(/^(?:#+ |- \*\*)(\d+(?:\.\d+)*)\b/gm)].map((match) => match[1]),
  );
  const wrong = code.flatMap((file) => {
    const text = read(file);
    const named = [
      ...[...text.matchAll(/Spec (\d[\d., ]*)/g)].flatMap((match) => match[1]?.match(/\d+(?:\.\d+)*/g) ?? []),
      ...[...text.matchAll(/(?:test|suite|describe)\(\s*['`](\d\.\d(?:\.\d)?) /g)].map(
        (match) => match[1] ?? '',
      ),
    ];
    return named.filter((clause) => !clauses.has(clause)).map((clause) => `${file}: Spec ${clause}`);
  });
  assert.ok(clauses.size > 30, `only ${clauses.size} clauses`);
  assert.deepEqual(wrong, []);
});

const extension = /\.(ts|tsx|js|md|ya?ml|json|css|html|svg|png|toml)$/;
const folders =
  /^#?(src|test|lab|docs|deploy|clients|dashboard|scripts|bin|core|storage|browser|accounts|delivery|metering|uploads|renders|http)\//;

test('every path that a document names exists', () => {
  const names = new Set(find('**/*.*').map((path) => basename(path)));
  const wrong = documents.flatMap((document) => {
    const text = read(document).replace(/^(```|    ).*$/gm, '');
    const links = [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
      .map((match) => match[1] ?? '')
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => !existsSync(join(root, dirname(document), link)));
    const spans = [...text.matchAll(/`([^`\n]+)`/g)]
      .map((match) => match[1] ?? '')
      .filter((span) => /^#?[\w@.-]+(\/[\w@.-]+)*\/?$/.test(span))
      .filter((span) => (folders.test(span) && !/^#?\w+\/$/.test(span)) || extension.test(span))
      .filter((span) => !isThere(span, document));
    return [...links, ...spans].map((path) => `${document}: ${path}`);
  });
  assert.ok(documents.length > 15, `only ${documents.length} documents`);
  assert.deepEqual(wrong, []);

  function isThere(span: string, document: string): boolean {
    const path = span.replace(/^#/, '');
    if (!path.includes('/')) return names.has(path);
    return [
      '',
      'src',
      'dashboard',
      'dashboard/src',
      'clients',
      'clients/library/src',
      dirname(document),
    ].some((folder) => existsSync(join(root, folder, path)));
  }
});

test('ARCHITECTURE.md lists every file of the roof', () => {
  const roof = find('src/*.ts').map((path) => basename(path, '.ts'));
  const listed = /roof: ([a-z, -]+)/.exec(read('ARCHITECTURE.md'))?.[1]?.trim().split(', ') ?? [];
  assert.deepEqual(listed.toSorted(), roof.toSorted());
});

test('decisions are numbered, in their names and in their titles', () => {
  const decisions = find('docs/decisions/*.md').map((path) => basename(path));
  const numbers = decisions.map((name) => Number(/^(\d{4})-/.exec(name)?.[1]));
  assert.equal(new Set(numbers).size, decisions.length, 'each number once');
  for (const [index, name] of decisions.entries())
    assert.match(read(`docs/decisions/${name}`), new RegExp(`^# ${numbers[index]}\\. `), name);
});

test('no comment or document refers to documents outside the repository', () => {
  const wrong = [...code, ...documents].filter((file) => /design section \d/i.test(read(file)));
  assert.deepEqual(
    wrong.filter((file) => file !== 'test/documents.test.ts'),
    [],
  );
});

test('docs/errors.md is up to date (npm run document)', () => {
  const page = readFileSync(errorsPath, 'utf8');
  assert.equal(page, errorsText(page));
});

test('only the contract and the error table list the error codes by hand', () => {
  const generated = ['docs/openapi.json', 'docs/openapi-v2.json', 'clients/library/src/contract.ts'];
  const block = /begin: npm run document[^]*?(<!--|#) end\b/g;
  const lists = find(['{src,clients,dashboard,docs,lab,scripts}/**/*.{ts,tsx,js,py,md,json}', '*.md'])
    .filter((file) => !generated.includes(file))
    .filter((file) => {
      const text = read(file).replace(block, '');
      // A word of everyday use, such as "internal", is a code only if it is quoted or a key.
      const named = errorCodes.filter((code) =>
        new RegExp(`['"\`]${code}['"\`]|^\\s*${code}:`, 'm').test(text),
      );
      return named.length > errorCodes.length / 2;
    });
  assert.deepEqual(lists, ['docs/contract.md', 'src/core/errors.ts']);
});
