// Prints documents of the request and reads the PDFs with another library, for the tests of printed documents.
import { readFile } from 'node:fs/promises';
import type { RenderedFile } from '#browser/browser.ts';
import {
  plainPdf,
  plainPicture,
  plainView,
  type Job,
  type Output,
  type PdfOutput,
  type PictureOutput,
  type SourceFile,
} from '#browser/job.ts';
import { limits } from '#core/limits.ts';
import type { TestBrowser } from '#test/support/browser.ts';

interface MadeFile extends RenderedFile {
  bytes: Buffer;
}

/** Letter paper with margins of an inch: 612 x 792 points, of which 72 are at each edge. */
export const pdfOf = (fields: Partial<PdfOutput> = {}): PdfOutput => ({
  ...plainPdf,
  paper: { width: 8.5, height: 11 },
  marginInches: { top: 1, right: 1, bottom: 1, left: 1 },
  ...fields,
});

export const pictureOf = (
  page: number,
  fields: Partial<PdfOutput> = {},
  picture: Partial<PictureOutput> = {},
): PictureOutput => ({
  ...plainPicture,
  ...picture,
  printed: pdfOf({ ...fields, pageRanges: String(page) }),
});

/** The same on every page. */
export const everywhere = (usual: string) => ({ usual, first: null, last: null });

export interface Rendering {
  made: MadeFile[];
  /** `code: message`. */
  warnings: string[];
}

export async function renderText(
  kit: TestBrowser,
  text: string,
  outputs: Output[],
  job: Partial<Job> & { files?: SourceFile[]; baseUrl?: string } = {},
): Promise<Rendering> {
  const { files = [], baseUrl = null, ...rest } = job;
  await using rendered = await kit.render('', {
    source: { kind: 'html', text, baseUrl, files },
    view: { ...plainView, width: 1000, height: 600 },
    outputs,
    timeoutMs: limits.pdfTotalMs,
    ...rest,
  });
  const made = await Promise.all(
    rendered.outputs.map(async (file) => ({ ...file, bytes: await readFile(file.path) })),
  );
  return { made, warnings: rendered.page.warnings.map(({ code, message }) => `${code}: ${message}`) };
}

/** Chapters that begin on pages of their own, each of `pages` pages. */
export const chapters = (count: number, pages = 1): string =>
  Array.from(
    { length: count },
    (_, index) =>
      `<section style="break-before:page"><h1 id="c${index + 1}">Chapter ${index + 1}</h1>` +
      '<p style="break-after:page">text</p>'.repeat(pages - 1) +
      '<p>end</p></section>',
  ).join('');
