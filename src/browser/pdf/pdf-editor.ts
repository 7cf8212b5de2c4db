// Reads and changes a PDF that the browser has printed: where its pages and link targets are, what is laid over its pages, what it says
// of itself, and its password.
import type * as pdfLib from '@cantoo/pdf-lib';
import type { DocumentInfo, PdfPermission } from '#browser/job.ts';
import { openLibraryFile } from '#browser/process/library-file.ts';
import { openLibraryThread, type LibraryThread } from '#browser/process/library-thread.ts';
import { pdfThread } from '#browser/pdf/pdf-thread.ts';

export interface PdfFacts {
  /** The size of each page, in points. */
  sizes: { width: number; height: number }[];
  /** Number of the page that each target of a link is on, by the fragment of its address. */
  targets: Map<string, number>;
}

/** A document of bands as wide as the paper, for one edge of it. */
export interface Overlay {
  bytes: Uint8Array<ArrayBuffer>;
  edge: 'top' | 'bottom';
  /** How much of a band is in use, from its upper edge. */
  usedPt: number;
  /** For each band, the pages that it is laid over, counted from 0. */
  pagesOfBand: number[][];
}

export interface PdfChanges {
  overlays: Overlay[];
  documentInfo: DocumentInfo;
  /** Null for a document that is not encrypted. */
  security: PdfSecurity | null;
}

export interface PdfSecurity {
  /** Opens the document; empty if nobody needs one. */
  password: string;
  ownerPassword: string;
  permissions: readonly PdfPermission[];
}

export interface PdfCalls {
  /** Keeps the document for `change`. */
  read(bytes: Uint8Array<ArrayBuffer>): Promise<PdfFacts>;
  change(changes: PdfChanges): Promise<Uint8Array>;
}

const library = openLibraryFile(
  new URL('../dist/pdf-lib.min.js', import.meta.resolve('@cantoo/pdf-lib')).href,
);

export const openPdfEditor = (): LibraryThread<PdfCalls> =>
  openLibraryThread<PdfCalls>({ ...pdfThread, library: library(), create: createCalls });

function createCalls(lib: typeof pdfLib): PdfCalls {
  const { PDFDocument, PDFDict, PDFArray, PDFName, PDFOperator, PDFOperatorNames } = lib;
  const load = (bytes: Uint8Array<ArrayBuffer>) =>
    PDFDocument.load(bytes, { updateMetadata: false, parseSpeed: lib.ParseSpeeds.Fastest });
  let document: pdfLib.PDFDocument;

  /** Chromium writes one for each target of a link in the document, under its fragment. */
  function targetsOf(): PdfFacts['targets'] {
    const numbers = new Map(document.getPages().map(({ ref }, index) => [String(ref), index + 1]));
    const targets: PdfFacts['targets'] = new Map();
    const found = document.catalog.lookupMaybe(PDFName.of('Dests'), PDFDict);
    for (const [name, value] of found?.entries() ?? []) {
      const target = document.context.lookup(value);
      const number = target instanceof PDFArray ? numbers.get(String(target.get(0))) : undefined;
      if (number !== undefined) targets.set(name.decodeText(), number);
    }
    return targets;
  }

  /** As an artifact: what is read aloud is the page, not its margins. */
  async function lay({ bytes, edge, usedPt, pagesOfBand }: Overlay): Promise<void> {
    const pages = document.getPages();
    const over = await load(bytes);
    const bands = await document.embedPdf(over, over.getPageIndices());
    for (const [index, band] of bands.entries()) {
      for (const at of pagesOfBand[index] ?? []) {
        const page = pages[at]!;
        const y = edge === 'top' ? page.getHeight() - band.height : usedPt - band.height;
        page.pushOperators(PDFOperator.of(PDFOperatorNames.BeginMarkedContent, [PDFName.of('Artifact')]));
        page.drawPage(band, { x: 0, y });
        page.pushOperators(PDFOperator.of(PDFOperatorNames.EndMarkedContent));
      }
    }
  }

  function inform({ title, author, subject, keywords, language }: DocumentInfo): void {
    if (title !== undefined) document.setTitle(title, { showInWindowTitleBar: true });
    if (author !== undefined) document.setAuthor(author);
    if (subject !== undefined) document.setSubject(subject);
    if (keywords !== undefined) document.setKeywords([keywords]);
    if (language !== undefined) document.setLanguage(language);
  }

  /**
   * The library encrypts streams only. A string in an object stream is encrypted with it, but not one in the catalog, in a page or in the
   * head of a stream: so those become objects of their own.
   */
  function moveStrings(holder: pdfLib.PDFObject): void {
    const entries = holder instanceof PDFDict ? holder.entries() : [];
    const items = holder instanceof PDFArray ? holder.asArray().entries() : [];
    const isText = (value: pdfLib.PDFObject) =>
      value instanceof lib.PDFString || value instanceof lib.PDFHexString;
    for (const [name, value] of entries)
      if (isText(value)) (holder as pdfLib.PDFDict).set(name, document.context.register(value));
      else moveStrings(value);
    for (const [index, value] of items)
      if (isText(value)) (holder as pdfLib.PDFArray).set(index, document.context.register(value));
      else moveStrings(value);
  }

  /** Many readers follow these flags, whatever opened the file. To read it aloud is never forbidden. */
  const flagsOf = (permissions: readonly PdfPermission[]) => ({
    ...(permissions.includes('print') && { printing: 'highResolution' as const }),
    modifying: permissions.includes('modify'),
    copying: permissions.includes('copy'),
    annotating: permissions.includes('annotate'),
    fillingForms: permissions.includes('fill'),
    contentAccessibility: true,
    documentAssembly: permissions.includes('assemble'),
  });

  function encrypt({ password, ownerPassword, permissions }: PdfSecurity): void {
    for (const [, object] of document.context.enumerateIndirectObjects()) {
      if (object instanceof lib.PDFStream) moveStrings(object.dict);
      else if (object instanceof lib.PDFCatalog || object instanceof lib.PDFPageLeaf) moveStrings(object);
    }
    document.encrypt({ userPassword: password, ownerPassword, permissions: flagsOf(permissions) });
  }

  return {
    async read(bytes) {
      document = await load(bytes);
      return { sizes: document.getPages().map((page) => page.getSize()), targets: targetsOf() };
    },
    async change({ overlays, documentInfo, security }) {
      for (const overlay of overlays) await lay(overlay);
      inform(documentInfo);
      if (security) encrypt(security);
      // They make a document a third smaller, but saving one of 2,000 pages takes five times as long with them.
      const useObjectStreams = security !== null || document.getPageCount() <= 500;
      return await document.save({ useObjectStreams, objectsPerTick: Infinity });
    },
  };
}
