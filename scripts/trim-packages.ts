// Takes out of node_modules what neither the service nor its builders read, after an installation without the packages of the tests: half of
// its files, and of two large files what nothing reads. The builds that follow fail if something is missing.
import {
  globSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, relative } from 'node:path';
import { isUsedStyle } from '#browser/install/fonts.ts';
import { withoutDebugging, withoutDrawings } from '#scripts/trim-binaries.ts';

/** Node does not run TypeScript in packages, and reads maps only for stack traces; headers, and libraries for Bare, are for other programs. */
const unread = /\.([cm]?tsx?|map|md|markdown|flow|bare|h|gypi)$/i;
const kept = /^(package\.json|(licen[cs]e|notice|copying|copyright).*)$/i;
/** At the top of a package. */
const unreadFolders = new Set([
  'test',
  'tests',
  '__tests__',
  'docs',
  'example',
  'examples',
  'benchmark',
  'benchmarks',
]);
const fonts = /@expo-google-fonts.[\w-]+$/;
/** Large packages of which our code names the files: these and no others. */
const namedFiles: Record<string, string[]> = {
  '@cantoo/pdf-lib': ['dist/pdf-lib.min.js'],
  '@duckduckgo/autoconsent': [
    'dist/autoconsent.esm.js',
    'dist/autoconsent.playwright.js',
    'rules/compact-rules.json',
  ],
  '@hyzyla/pdfium': ['dist/index.cjs', 'dist/pdfium.wasm'],
  // Its installer.
  'playwright-core': [
    'browsers.json',
    'cli.js',
    'lib/bootstrap.js',
    'lib/coreBundle.js',
    'lib/entry/oopBrowserDownload.js',
    'lib/serverRegistry.js',
    'lib/utilsBundle.js',
  ],
  'react-dom': ['cjs/react-dom-client.production.js', 'cjs/react-dom.production.js', 'client.js', 'index.js'],
  'pdfjs-dist': ['legacy/build/pdf.mjs', 'legacy/build/pdf.worker.min.mjs'],
};

/** Parts of a file that no program reads: 32 and 19 MB. */
const smallerFiles = [
  { pattern: 'node-*/bin/node*', smaller: withoutDebugging },
  { pattern: '@expo-google-fonts/noto-color-emoji/*/*.ttf', smaller: withoutDrawings },
];

export function trimPackages(folder: string): void {
  for (const path of packagesIn(folder)) {
    const named = namedFiles[relative(folder, path)];
    const isFont = fonts.test(path);
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const isUnread = isFont ? !isUsedStyle(entry.name) : unreadFolders.has(entry.name);
      if (entry.isDirectory() && isUnread) rmSync(join(path, entry.name), { recursive: true });
    }
    trimFolder(path, (file) => {
      if (named) return named.includes(relative(path, file));
      return isFont ? file.endsWith('.ttf') : !unread.test(file);
    });
  }
  for (const { pattern, smaller } of smallerFiles)
    for (const name of globSync(pattern, { cwd: folder })) makeSmaller(join(folder, name), smaller);
}

function makeSmaller(path: string, smaller: (bytes: Buffer) => Buffer): void {
  const bytes = readFileSync(path);
  const result = smaller(bytes);
  if (result.length === bytes.length) return;
  // Under a new name, because a program that is running, as this one is, cannot be written.
  writeFileSync(`${path}.smaller`, result, { mode: lstatSync(path).mode });
  renameSync(`${path}.smaller`, path);
}

/** Those of a package's own packages too. */
function packagesIn(folder: string): string[] {
  return foldersIn(folder)
    .flatMap((path) => (basename(path).startsWith('@') ? foldersIn(path) : [path]))
    .flatMap((path) => {
      const own = join(path, 'node_modules');
      return lstatSync(own, { throwIfNoEntry: false })?.isDirectory() ? [path, ...packagesIn(own)] : [path];
    });
}

const foldersIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => join(folder, name));

/** With what it leaves empty. */
function trimFolder(folder: string, isRead: (file: string) => boolean): void {
  const entries = readdirSync(folder, { withFileTypes: true });
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (entry.name !== 'node_modules') trimFolder(path, isRead);
    } else if (!isRead(path) && !kept.test(entry.name)) rmSync(path);
  }
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}

if (import.meta.main) trimPackages(join(import.meta.dirname, '..', 'node_modules'));
