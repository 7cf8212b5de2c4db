// Prints a page to PDF and checks the result before returning it. Spec 4.4.
import { paperInches, RenderFailure, type PdfJob } from '#browser/browser.ts';
import type { Deadline } from '#browser/process/deadline.ts';
import { openWorld } from '#browser/page/isolated-world.ts';
import type { Page } from '#browser/page/page.ts';
import { ignore } from '#browser/page/page-sessions.ts';
import { isRefusal } from '#browser/page/refusal.ts';

const chunkBytes = 4 * 1024 * 1024;
const maxBytes = 256 * 1024 * 1024;

export async function print(page: Page, job: PdfJob, deadline: Deadline): Promise<Buffer> {
  const { signal } = deadline;
  // Chromium itself would wait up to two seconds for resources that are still loading, and the caller asked not to wait.
  if (job.waitUntil === 'domcontentloaded' && !page.mainFrame.loaded) {
    await page.session.send('Page.stopLoading', undefined, signal);
  }
  let bytes = await printOnce(page, job, signal);
  if (!job.preferCssPageSize && isTurned(bytes, job.landscape)) {
    await ignorePageSize(page, job, signal);
    bytes = await printOnce(page, job, signal);
  }
  if (!hasPages(bytes)) throw new RenderFailure('unprintable', 'printing the page gave an empty PDF');
  return bytes;
}

async function printOnce(page: Page, job: PdfJob, signal: AbortSignal): Promise<Buffer> {
  const { width, height } = paperInches[job.paperFormat];
  const { top, right, bottom, left } = job.marginInches;
  const words = 'the page could not be printed with this paper, margin and scale';
  try {
    const { stream } = await page.session.send(
      'Page.printToPDF',
      {
        paperWidth: width,
        paperHeight: height,
        landscape: job.landscape,
        printBackground: job.printBackground,
        preferCSSPageSize: job.preferCssPageSize,
        scale: job.scale,
        marginTop: top,
        marginRight: right,
        marginBottom: bottom,
        marginLeft: left,
        transferMode: 'ReturnAsStream',
        generateTaggedPDF: false,
        generateDocumentOutline: false,
      },
      signal,
    );
    return await readStream(page, stream ?? '', signal);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    throw new RenderFailure('unprintable', words, { cause: error });
  }
}

/**
 * Chromium fits a page with a CSS page size to the requested paper, as its users expect, but rotates the paper if that size has
 * the other orientation. It writes the boxes of the pages as plain text.
 */
function isTurned(bytes: Buffer, landscape: boolean): boolean {
  const start = '/MediaBox [0 0 ';
  for (let at = bytes.indexOf(start); at !== -1; at = bytes.indexOf(start, at + 1)) {
    const [width, height] = bytes.toString('latin1', at + start.length, at + 64).split(/[ \]]/);
    if (Number(width) > Number(height) !== landscape) return true;
  }
  return false;
}

async function ignorePageSize(page: Page, job: PdfJob, signal: AbortSignal): Promise<void> {
  const { width, height } = paperInches[job.paperFormat];
  const size = job.landscape ? `${height}in ${width}in` : `${width}in ${height}in`;
  const world = await openWorld(page, signal);
  await world.run('setPageSize', [size], signal);
}

async function readStream(page: Page, handle: string, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for (;;) {
      const { data, base64Encoded, eof } = await page.session.send(
        'IO.read',
        { handle, size: chunkBytes },
        signal,
      );
      const chunk = Buffer.from(data, base64Encoded === true ? 'base64' : 'latin1');
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) throw new RenderFailure('too_large', 'the PDF exceeds the size limit of a render');
      if (eof) return Buffer.concat(chunks);
    }
  } finally {
    ignore(page.session.send('IO.close', { handle }));
  }
}

/** Also false if the bytes are not a complete PDF. Every node of a page tree holds the number of pages under it. */
function hasPages(bytes: Buffer): boolean {
  const isWhole =
    bytes.toString('latin1', 0, 5) === '%PDF-' &&
    bytes.toString('latin1', Math.max(0, bytes.length - 32)).includes('%%EOF');
  if (!isWhole) return false;
  for (let at = bytes.indexOf('/Type /Pages'); at !== -1; at = bytes.indexOf('/Type /Pages', at + 1)) {
    if (/\/Count [1-9]/.test(bytes.toString('latin1', Math.max(0, at - 64), at + 64))) return true;
  }
  return false;
}
