// What a worker reads of its libraries after it has become another user, for whom the folder of the service may be closed.
import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'node:test';
import type * as consent from '#browser/page/change/consent-library.ts';
import type * as markdown from '#browser/page/open/markdown.ts';
import type * as pdfEditor from '#browser/pdf/pdf-editor.ts';
import type * as pdfPainter from '#browser/pdf/pdf-painter.ts';
import type * as readingLibraries from '#browser/page/extract/reading-libraries.ts';
import { root, temporaryFolder } from '#test/support/processes.ts';
import { trimPackages } from '#scripts/trim-packages.ts';

const never = new AbortController().signal;
const packages = [
  '@mozilla/readability',
  'turndown',
  'marked',
  '@duckduckgo/autoconsent',
  '@cantoo/pdf-lib',
  '@hyzyla/pdfium',
];

test('the libraries of a worker are there when their files can no longer be opened', async () => {
  const folder = await temporaryFolder();
  const libraries = join(folder.path, 'node_modules');
  try {
    for (const name of ['package.json', 'src/core', 'src/browser'])
      cpSync(join(root, name), join(folder.path, name), { recursive: true });
    for (const name of packages)
      cpSync(join(root, 'node_modules', name), join(libraries, name), { recursive: true });
    // As in an installation without tests.
    trimPackages(libraries);
    const load = async <T>(name: string): Promise<T> =>
      (await import(pathToFileURL(join(folder.path, 'src/browser', name)).href)) as T;
    const { readability, turndown } = await load<typeof readingLibraries>(
      'page/extract/reading-libraries.ts',
    );
    const { consentLibrary } = await load<typeof consent>('page/change/consent-library.ts');
    const { markdownPage } = await load<typeof markdown>('page/open/markdown.ts');
    const { openPdfEditor } = await load<typeof pdfEditor>('pdf/pdf-editor.ts');
    const { openPdfPainter } = await load<typeof pdfPainter>('pdf/pdf-painter.ts');
    rmSync(libraries, { recursive: true });

    assert.match(readability(), /Readability\.prototype/);
    assert.match(turndown(), /TurndownService\.prototype/);
    const { script, snippets, settingsFor } = await consentLibrary();
    assert.match(script, /autoconsentReceiveMessage/);
    assert.match(snippets, /=>/);
    assert.match(settingsFor('https://example.com/'), /"compact":/);
    const refused = { reason: 'unprintable', message: 'the PDF of the page could not be read' };
    await using editor = openPdfEditor();
    await assert.rejects(editor.call('read', new Uint8Array(9), never), refused);
    await using painter = openPdfPainter();
    await assert.rejects(painter.call('open', new Uint8Array(9), never), refused);
    assert.match(await markdownPage('# Title', never), /<h1>Title<\/h1>/);
  } finally {
    await folder.remove();
  }
});
