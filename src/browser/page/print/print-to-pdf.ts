// Asks the browser for a PDF, reads it and checks it. Spec 4.4.
import { RenderFailure } from '#browser/browser.ts';
import type { PdfOutput } from '#browser/job.ts';
import { fieldOf, type Attempt, type MadeOutput } from '#browser/page/attempt.ts';
import { warnOfShadows } from '#browser/page/print/costly-shadows.ts';
import type { Page } from '#browser/page/page.ts';
import { ignore } from '#browser/page/page-sessions.ts';
import { isRefusal } from '#browser/page/refusal.ts';

const chunkBytes = 4 * 1024 * 1024;
/** The size of a PDF. */
export const maxBytes = 256 * 1024 * 1024;

/** `output` is that of the request, for its name in a failure; `sheet` is what to print. */
export async function printToPdf(
  attempt: Attempt,
  output: PdfOutput,
  sheet: PdfOutput = output,
): Promise<MadeOutput> {
  const { page, task, deadline } = attempt;
  const { signal } = deadline;
  const bytes = await bytesOf(page, sheet, signal).catch((error: unknown) => {
    if (!isRefusal(error)) throw error;
    throw String(error).includes('Page range exceeds page count')
      ? new RenderFailure('unprintable', `the document has no page ${sheet.pageRanges}`, {
          field: fieldOf(task, output, task.outputs.includes(output) ? 'page_ranges' : 'page'),
        })
      : new RenderFailure('unprintable', 'the page could not be printed with this paper, margin and scale', {
          cause: error,
        });
  });
  const pages = pagesOf(bytes);
  if (pages === 0) throw new RenderFailure('unprintable', 'printing the page gave an empty PDF');
  await warnOfShadows(attempt, bytes);
  return { bytes, width: null, height: null, pages, cut: null };
}

async function bytesOf(page: Page, sheet: PdfOutput, signal: AbortSignal): Promise<Buffer> {
  const { top, right, bottom, left } = sheet.marginInches;
  const { stream } = await page.session.send(
    'Page.printToPDF',
    {
      paperWidth: sheet.paper.width,
      paperHeight: sheet.paper.height,
      landscape: sheet.landscape,
      printBackground: sheet.printBackground,
      preferCSSPageSize: sheet.preferCssPageSize,
      scale: sheet.scale,
      marginTop: top,
      marginRight: right,
      marginBottom: bottom,
      marginLeft: left,
      pageRanges: sheet.pageRanges ?? '',
      transferMode: 'ReturnAsStream',
      // Chromium makes an outline only of a tagged PDF.
      generateTaggedPDF: sheet.tagged || sheet.outline,
      generateDocumentOutline: sheet.outline,
    },
    signal,
  );
  return await readStream(page, stream ?? '', signal);
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
      if (size > maxBytes) throw tooLarge();
      if (eof) return Buffer.concat(chunks);
    }
  } finally {
    ignore(page.session.send('IO.close', { handle }));
  }
}

export const tooLarge = (): RenderFailure =>
  new RenderFailure('too_large', 'the PDF exceeds the size limit of a render');

/**
 * 0 if the bytes are not a complete PDF. Found from the end of the file: a search for the tree of pages would also find its words in the
 * title of a page.
 */
function pagesOf(bytes: Buffer): number {
  if (bytes.toString('latin1', 0, 5) !== '%PDF-') return 0;
  const end = bytes.toString('latin1', Math.max(0, bytes.length - 256));
  const [, table] = /startxref\s(\d{1,12})\s%%EOF/.exec(end) ?? [];
  const [, root] = /\/Root (\d{1,9}) 0 R/.exec(end) ?? [];
  const tree = fieldOfObject(bytes, Number(table), Number(root), /\/Type \/Catalog\s+\/Pages (\d+) 0 R/);
  return fieldOfObject(bytes, Number(table), tree, /\/Type \/Pages\s+\/Count (\d+)/);
}

/** 0 if it is not there. Every line of the table of objects has 20 bytes. */
function fieldOfObject(bytes: Buffer, tableAt: number, object: number, field: RegExp): number {
  const header = /^xref\s+0 \d+\s+/.exec(bytes.toString('latin1', tableAt, tableAt + 64))?.[0] ?? '';
  const lineAt = tableAt + header.length + object * 20;
  const at = Number(bytes.toString('latin1', lineAt, lineAt + 10));
  return Number(field.exec(bytes.toString('latin1', at, at + 256))?.[1] ?? 0);
}
