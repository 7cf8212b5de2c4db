// Prints a page to PDF, with what the client adds to the document: page numbers, margins, information, a password. Spec 4.4; v2 4.
import { randomUUID } from 'node:crypto';
import { pdfPermissions, type PdfOutput } from '#browser/job.ts';
import type { Attempt, MadeOutput } from '#browser/page/attempt.ts';
import { withoutBackground } from '#browser/page/change/background.ts';
import { createPrintTools } from '#browser/page/in-page/print-tools.ts';
import { openTools } from '#browser/page/isolated-world.ts';
import { ignore } from '#browser/page/page-sessions.ts';
import { printOnOnePage } from '#browser/page/print/single-page.ts';
import { printMargins } from '#browser/page/print/margin-bands.ts';
import { withPageNumbers } from '#browser/page/print/page-numbers.ts';
import { maxBytes, printToPdf, tooLarge } from '#browser/page/print/print-to-pdf.ts';
import { openPdfEditor, type PdfSecurity } from '#browser/pdf/pdf-editor.ts';

export async function print(attempt: Attempt, output: PdfOutput): Promise<MadeOutput> {
  const { page, task, deadline, begin } = attempt;
  begin('capture');
  // Chromium itself would wait up to two seconds for resources that are still loading, and the caller asked not to wait.
  if (task.waits.until === 'domcontentloaded' && !page.mainFrame.loaded) {
    await page.session.send('Page.stopLoading', undefined, deadline.signal);
  }
  return await withoutBackground(page, output.omitBackground, () => printDocument(attempt, output));
}

async function printDocument(attempt: Attempt, output: PdfOutput): Promise<MadeOutput> {
  const { header, footer, pageNumbers, documentInfo } = output;
  const hasMargins = header !== null || footer !== null;
  const security = securityOf(output);
  const isChanged = hasMargins || security !== null || Object.keys(documentInfo).length > 0;
  if (!isChanged && !pageNumbers) return await printPages(attempt, output);
  await using editor = openPdfEditor();
  const { signal } = attempt.deadline;
  const printWhole = () => printPages(attempt, output, { ...output, pageRanges: null });

  async function finish(whole: MadeOutput | null): Promise<MadeOutput> {
    const body = whole && output.pageRanges === null ? whole : await printPages(attempt, output);
    if (!isChanged) return body;
    const { sizes } = await editor.call('read', new Uint8Array(body.bytes), signal);
    const total = whole?.pages ?? sizes.length;
    const cuts = new Set(body.cut === null ? [] : [body.cut]);
    const printed = { sizes, total, numbers: numbersIn(output.pageRanges, total) };
    const overlays = await printMargins(attempt, output, printed, (words) => cuts.add(words));
    const bytes = Buffer.from(await editor.call('change', { overlays, documentInfo, security }, signal));
    if (bytes.length > maxBytes) throw tooLarge();
    return { ...body, bytes, cut: cuts.size === 0 ? null : [...cuts].join('; ') };
  }

  const printAll = async () => {
    if (pageNumbers) return await withPageNumbers(attempt, output, editor, printWhole, finish);
    return await finish(hasMargins ? await printWhole() : null);
  };
  return hasMargins ? await withMargins(attempt, output, printAll) : await printAll();
}

/** Without a password of an owner, nobody can lift permissions that are not all. */
function securityOf({ password, ownerPassword, permissions }: PdfOutput): PdfSecurity | null {
  const isLimited = permissions.length < pdfPermissions.length;
  if (password === null && ownerPassword === null && !isLimited) return null;
  const owner = ownerPassword ?? (isLimited ? null : password) ?? randomUUID();
  return { password: password ?? '', ownerPassword: owner, permissions };
}

/** A style sheet may give all pages other margins, and the header would cover the text. */
async function withMargins<T>(
  { page, deadline: { signal } }: Attempt,
  { marginInches }: PdfOutput,
  work: () => Promise<T>,
): Promise<T> {
  const margins = Object.entries(marginInches)
    .filter(([, inches]) => inches > 0)
    .map(([side, inches]) => [`margin-${side}`, `${inches}in`]);
  const tools = await openTools(page, signal, createPrintTools);
  await tools.run('setMargins', [JSON.stringify(Object.fromEntries(margins))], signal);
  try {
    return await work();
  } finally {
    ignore(tools.run('undo', [], signal));
  }
}

/** The numbers of the pages that are printed, in the order of the document. */
function numbersIn(pageRanges: string | null, total: number): number[] {
  const all = Array.from({ length: total }, (_, index) => index + 1);
  if (pageRanges === null) return all;
  const ranges = pageRanges.split(',').map((range) => range.split('-').map(Number));
  return all.filter((number) =>
    ranges.some(([first = 0, last = first]) => first <= number && number <= last),
  );
}

/** `output` is that of the request; `sheet` is what to print. */
const printPages = (attempt: Attempt, output: PdfOutput, sheet: PdfOutput = output): Promise<MadeOutput> =>
  output.singlePage ? printOnOnePage(attempt, output) : printOnPaper(attempt, output, sheet);

async function printOnPaper(attempt: Attempt, output: PdfOutput, sheet: PdfOutput): Promise<MadeOutput> {
  const pdf = await printToPdf(attempt, output, sheet);
  if (output.preferCssPageSize || !isTurned(pdf.bytes, output)) return pdf;
  const { page, deadline } = attempt;
  const { width, height } = output.paper;
  const size = output.landscape ? `${height}in ${width}in` : `${width}in ${height}in`;
  const tools = await openTools(page, deadline.signal, createPrintTools);
  await tools.run('setPageSize', [size], deadline.signal);
  try {
    return await printToPdf(attempt, output, sheet);
  } finally {
    ignore(tools.run('undo', [], deadline.signal));
  }
}

/**
 * Chromium fits a page with a CSS page size to the requested paper, as its users expect, but rotates the paper if that size has
 * the other orientation. It writes the boxes of the pages as plain text.
 */
function isTurned(bytes: Buffer, { paper, landscape }: PdfOutput): boolean {
  if (paper.width === paper.height) return false;
  const isWide = paper.width > paper.height !== landscape;
  const start = '/MediaBox [0 0 ';
  for (let at = bytes.indexOf(start); at !== -1; at = bytes.indexOf(start, at + 1)) {
    const [width, height] = bytes.toString('latin1', at + start.length, at + 64).split(/[ \]]/);
    if (Number(width) > Number(height) !== isWide) return true;
  }
  return false;
}
