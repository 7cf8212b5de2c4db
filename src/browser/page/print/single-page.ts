// Prints a page on one sheet that is as tall as its content. Chromium fills sheets of a given size, so the content is measured first: in a
// viewport as wide as the paper, with the styles for print.
import type { PdfOutput, View } from '#browser/job.ts';
import type { Attempt, MadeOutput } from '#browser/page/attempt.ts';
import { createPrintTools } from '#browser/page/in-page/print-tools.ts';
import { openTools, type ToolsInPage } from '#browser/page/isolated-world.ts';
import type { Page } from '#browser/page/page.ts';
import { ignore } from '#browser/page/page-sessions.ts';
import { printToPdf } from '#browser/page/print/print-to-pdf.ts';
import { mediaOf } from '#browser/page/open/view.ts';
import { pause } from '#browser/process/deadline.ts';

const pxPerInch = 96;
/** 14,400 pt: Acrobat shows no longer page. */
const longestInches = 200;
/** The least height of the content. */
const shortestPx = 96;
/** Chromium makes content that is wider than the paper smaller, up to this. */
const maxShrink = 1.5;
const maxAttempts = 3;
const growth = 1.1;
const [resizeAttempts, resizeMs] = [50, 20];

type PrintTools = ToolsInPage<ReturnType<typeof createPrintTools>>;

export async function printOnOnePage(attempt: Attempt, output: PdfOutput): Promise<MadeOutput> {
  const { page, task, deadline } = attempt;
  const { signal } = deadline;
  const { view } = task;
  const { top, right, bottom, left } = output.marginInches;
  const width = output.landscape ? output.paper.height : output.paper.width;
  const tools = await openTools(page, signal, createPrintTools);
  const printOn = async (height: number, pageRanges: string) => {
    await tools.run(
      'setSinglePage',
      [`${width}in ${height}in`, `${top}in ${right}in ${bottom}in ${left}in`],
      signal,
    );
    const paper = { width, height };
    return await printToPdf(attempt, output, {
      ...output,
      paper,
      landscape: false,
      preferCssPageSize: false,
      pageRanges,
    });
  };
  try {
    await page.session.send('Emulation.setEmulatedMedia', mediaOf(view, view.media ?? 'print'), signal);
    const widthPx = Math.max(1, Math.floor(((width - left - right) * pxPerInch) / output.scale));
    let contentPx = await contentHeight(page, tools, view, widthPx, signal);
    for (let tries = 1; ; tries += 1) {
      const height = (contentPx * output.scale) / pxPerInch + top + bottom;
      const pdf = await printOn(Math.min(height, longestInches), '1-2');
      if (pdf.pages === 1) return pdf;
      if (tries < maxAttempts && height < longestInches) contentPx *= growth;
      else return { ...(await printOn(Math.min(height, longestInches), '1')), cut: cutWords };
    }
  } finally {
    ignore(tools.run('undo', [], signal));
    page.resize(view);
    ignore(page.session.send('Emulation.setEmulatedMedia', mediaOf(view, view.media)));
  }
}

const cutWords = 'the page was cut at 14,400 pt, the longest page that a PDF may have';

/** Leaves the heights of the page frozen. */
async function contentHeight(
  page: Page,
  tools: PrintTools,
  view: View,
  widthPx: number,
  signal: AbortSignal,
): Promise<number> {
  const sizeAt = async (width: number, height: number) => {
    page.resize({ width, height });
    for (let tries = 1; ; tries += 1) {
      const size = await tools.run('size', [], signal);
      if ((size.width === width && size.height === height) || tries === resizeAttempts) return size;
      await pause(resizeMs, signal);
    }
  };
  const { contentWidth } = await sizeAt(widthPx, view.height);
  const layoutPx = Math.min(Math.max(contentWidth, widthPx), Math.floor(widthPx * maxShrink));
  if (layoutPx > widthPx) await sizeAt(layoutPx, view.height);
  await tools.run('rememberHeights', [], signal);
  await sizeAt(layoutPx, shortestPx);
  await tools.run('freezeHeights', [], signal);
  const { contentHeight: height } = await tools.run('size', [], signal);
  return Math.ceil((height * widthPx) / layoutPx) + 1;
}
