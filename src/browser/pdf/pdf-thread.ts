// What threads with libraries for PDFs may take, and what is said of PDFs that they cannot read.
import { RenderFailure } from '#browser/browser.ts';

/** 2,000 pages with their tags take 300 MB. */
const memoryMb = 768;
const unreadable = (cause: unknown) =>
  new RenderFailure('unprintable', 'the PDF of the page could not be read', { cause });
const tooLarge = (cause: unknown) =>
  new RenderFailure('too_large', 'the PDF of the page is too large to be worked on', { cause });

export const pdfThread = { memoryMb, unreadable, tooLarge };
