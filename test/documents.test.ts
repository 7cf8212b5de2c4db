// Checks the documents against the repository: every clause, path, anchor and decision that they or the code name exists, numbers are
// those of the code, and no page is longer than its readers need.
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { builtInPlans } from '#accounts/plans.ts';
import { errorCodes } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import { anchorOfHeading } from '#site/docs/handbook.ts';
import {
  decisionsPath,
  decisionsText,
  errorsPath,
  errorsText,
  securityPath,
  securityText,
} from '#scripts/document.ts';

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
  /^#?(src|test|lab|docs|deploy|clients|dashboard|scripts|bin|core|wall|cell|storage|browser|accounts|delivery|metering|uploads|renders|http|api|site|console|server)\//;

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

test('every anchor that a document links to exists', () => {
  const anchorsOf = (document: string): Set<string> =>
    new Set(
      [
        ...read(document)
          .replaceAll(/^```[^]*?^```/gm, '')
          .matchAll(/^#+ (.+)$/gm),
      ].map(([, heading = '']) => anchorOfHeading(heading)),
    );
  const wrong = documents.flatMap((document) =>
    [...read(document).matchAll(/\]\(([^)#\s:]*)#([^)\s]+)\)/g)]
      .filter(([, file = '', anchor = '']) => {
        const target = file === '' ? document : join(dirname(document), file);
        return !target.endsWith('.md') || !anchorsOf(target).has(anchor);
      })
      .map(([link]) => `${document}: ${link}`),
  );
  assert.deepEqual(wrong, []);
});

/** The longest that a page may be, in words; the first that fits. Tables of decisions, and pages that are generated, do not count. */
const longest: [pattern: RegExp, words: number][] = [
  [/^README\.md$/, 840],
  [/^CONTRIBUTING\.md$/, 1_000],
  [/^ARCHITECTURE\.md$/, 1_150],
  [/^docs\/decisions\/\d/, 520],
  [/^docs\/(contract|errors)\.md$/, 8_400],
  [/^docs\/security\.md$/, 2_100],
  [/^docs\/(configuration|rendering|comparison)\.md$/, 1_800],
  [/^docs\/tools\//, 1_900],
  [/^docs\/reliability\.md$/, 1_300],
  [/^docs\/(quickstart|guides\/|self-hosting\/)/, 900],
];

test('no page is longer than its readers need', () => {
  const wrong = documents.flatMap((document) => {
    const [, most = Infinity] = longest.find(([pattern]) => pattern.test(document)) ?? [];
    const text = document.startsWith('docs/decisions/')
      ? read(document).replace(/^\|.*$/gm, '')
      : read(document);
    const words = text.split(/\s+/).filter(Boolean).length;
    return words > most ? [`${document}: ${words} words of ${most}`] : [];
  });
  assert.deepEqual(wrong, []);
});

test('what is new in a version fits on a screen, and its details on a few pages', () => {
  const words = (text: string): number => text.split(/\s+/).filter(Boolean).length;
  for (const version of read('CHANGELOG.md').split(/^## /m).slice(1)) {
    const name = version.slice(0, version.indexOf('\n'));
    const [summary = ''] = version.split(/^### (?!New$)/m);
    assert.ok(words(summary) < 350, `${name}: ${words(summary)} words before its details`);
    assert.ok(words(version) < 3_200, `${name}: ${words(version)} words`);
  }
});

test('every page of docs/ is in its index', () => {
  const index = read('docs/README.md');
  const pages = find(['docs/*.md', 'docs/{guides,tools,self-hosting}/*.md']).map((page) =>
    page.slice('docs/'.length),
  );
  assert.ok(pages.length > 30, `only ${pages.length} pages`);
  assert.deepEqual(
    pages.filter((page) => page !== 'README.md' && !index.includes(`](${page})`)),
    [],
  );
});

test('a document for users has no load averages, CPU seconds or counts of tests', () => {
  const report = /\bload (average|of )?\d|\bs of CPU time|\d tests\b|six times on a busy/i;
  const pages = find(['README.md', 'docs/*.md', 'docs/{guides,tools,self-hosting}/*.md']);
  assert.deepEqual(
    pages.filter((page) => report.test(read(page))),
    [],
  );
});

test('the limits that documents name are those of the code', () => {
  const number = (value: number): string => value.toLocaleString('en');
  const MiB = 1024 * 1024;
  const { expiresInSeconds, screenshotTotalMs, pdfTotalMs } = limits;
  const said = [
    `| one file | ${limits.fileBytes / MiB} MB |`,
    `| a batch | ${limits.batchFiles} files, ${limits.batchBytes / MiB} MB |`,
    `| \`expires_in\` | ${expiresInSeconds.min} to ${number(expiresInSeconds.max)} s |`,
    `| loading a page | ${limits.navigationMs / 1000} s |`,
    `| a screenshot, a PDF | ${screenshotTotalMs / 1000} s, ${pdfTotalMs / 1000} s in all |`,
    `| outputs of one render | ${limits.outputsPerRender}, `,
  ];
  for (const text of said) assert.ok(read('docs/guides/limits.md').includes(text), text);
  for (const plan of builtInPlans) {
    const row = [
      plan.uploads_per_month,
      plan.renders_per_month,
      plan.requests_per_minute,
      plan.concurrent_renders,
    ];
    const text = `| \`${plan.id}\` | ${row.map(number).join(' | ')} |`;
    assert.ok(read('docs/configuration.md').includes(text), text);
  }
});

test('the figures in front are those of their sections, with their dates', () => {
  const rows = [
    ...read('lab/figures/README.md').matchAll(
      /^\| .+ \| (.+) \| (\d{4}-\d\d-\d\d) \| \[.+\]\(([\w./]+)(?:#(.+))?\) \|$/gm,
    ),
  ];
  assert.equal(rows.length, 10);
  for (const [row, result = '', date = '', page = '', anchor = ''] of rows) {
    const sections = read(`lab/figures/${page}`).split(/^### /m);
    const section = page.endsWith('.json')
      ? sections[0]
      : sections.find((text) => anchorOfHeading(text.slice(0, text.indexOf('\n'))) === anchor);
    assert.ok(section, `${row}: there is no such section`);
    assert.ok(section.includes(date), `${row}: the section has another date`);
    const numbers = result.replace(/\(.*\)/, '').match(/\d[\d.]*/g) ?? [];
    if (page === 'benchmarks.md')
      for (const figure of numbers) assert.ok(section.includes(` ${figure} `), `${row}: ${figure}`);
    else if (/^\d/.test(result)) assert.ok(section.includes(result.split(/[,;] | than /)[0]!), row);
  }
});

test('decisions are numbered in their names and titles, dated, and in their index (npm run document)', () => {
  const decisions = find('docs/decisions/0*.md').map((path) => basename(path));
  const numbers = decisions.map((name) => Number(/^(\d{4})-/.exec(name)?.[1]));
  assert.deepEqual(
    numbers,
    decisions.map((_, index) => index + 1),
    'consecutive',
  );
  for (const [index, name] of decisions.entries())
    assert.match(
      read(`docs/decisions/${name}`),
      new RegExp(`^# ${numbers[index]}\\. .+\\n\\nDecided on \\d{4}-\\d\\d-\\d\\d\\.\\n`),
      name,
    );
  const page = readFileSync(decisionsPath, 'utf8');
  assert.equal(page, decisionsText(page));
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

test('docs/security.md is up to date (npm run document)', () => {
  const page = readFileSync(securityPath, 'utf8');
  assert.equal(page, securityText(page));
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
