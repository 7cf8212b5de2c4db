// Draws a page of a PDF that the browser has printed. PDFium is the engine with which Chromium itself shows PDFs, here as WebAssembly: what
// a page may do to it stays in the memory of its thread.
import { openLibraryBytes, openLibraryFile } from '#browser/process/library-file.ts';
import { openLibraryThread, type LibraryThread } from '#browser/process/library-thread.ts';
import { pdfThread } from '#browser/pdf/pdf-thread.ts';

interface Size {
  width: number;
  height: number;
}

interface Piece {
  /** The size of the page, in pixels. */
  whole: Size;
  top: number;
  pieceHeight: number;
  isTransparent: boolean;
}

export interface PainterCalls {
  /** Answers the size of the first page, in points. */
  open(bytes: Uint8Array<ArrayBuffer>): Promise<Size>;
  /** RGBA. */
  draw(piece: Piece): Uint8Array;
}

/** What of PDFium is used here; fpdfview.h describes it. */
interface Pdfium {
  wasmExports: { malloc(bytes: number): number; free(at: number): void };
  HEAPU8: Uint8Array;
  _FPDF_LoadMemDocument(at: number, bytes: number, password: number): number;
  _FPDF_LoadPage(document: number, index: number): number;
  _FPDF_GetPageWidth(page: number): number;
  _FPDF_GetPageHeight(page: number): number;
  _FPDFBitmap_CreateEx(width: number, height: number, format: number, at: number, stride: number): number;
  _FPDFBitmap_FillRect(
    bitmap: number,
    left: number,
    top: number,
    width: number,
    height: number,
    colour: number,
  ): void;
  _FPDF_RenderPageBitmap(
    bitmap: number,
    page: number,
    left: number,
    top: number,
    width: number,
    height: number,
    turn: number,
    flags: number,
  ): void;
  _FPDFBitmap_Destroy(bitmap: number): void;
}

interface Library {
  PDFiumLibrary: { init(options: { wasmBinary: ArrayBuffer }): Promise<{ module: Pdfium }> };
}

const urlOf = (name: string): string => new URL(name, import.meta.resolve('@hyzyla/pdfium')).href;
const library = openLibraryFile(urlOf('index.cjs'));
const program = openLibraryBytes(urlOf('pdfium.wasm'));

export const openPdfPainter = (): LibraryThread<PainterCalls> =>
  openLibraryThread<PainterCalls>({
    ...pdfThread,
    library: library(),
    create: createCalls,
    data: program(),
  });

async function createCalls({ PDFiumLibrary }: Library, program: Uint8Array): Promise<PainterCalls> {
  const bgra = 4;
  const reverseByteOrder = 0x10;
  const { module: pdfium } = await PDFiumLibrary.init({
    wasmBinary: new Uint8Array(program).buffer,
  });
  let page = 0;

  return {
    async open(bytes) {
      // Kept until the thread ends: PDFium reads from it while it draws.
      const at = pdfium.wasmExports.malloc(bytes.length);
      if (at === 0) throw new Error('no memory for the PDF');
      pdfium.HEAPU8.set(bytes, at);
      const document = pdfium._FPDF_LoadMemDocument(at, bytes.length, 0);
      page = document === 0 ? 0 : pdfium._FPDF_LoadPage(document, 0);
      if (page === 0) throw new Error('PDFium cannot read the PDF');
      return { width: pdfium._FPDF_GetPageWidth(page), height: pdfium._FPDF_GetPageHeight(page) };
    },
    draw({ whole: { width, height }, top, pieceHeight, isTransparent }) {
      const size = width * pieceHeight * 4;
      const at = pdfium.wasmExports.malloc(size);
      if (at === 0) throw new Error('no memory for the picture');
      const bitmap = pdfium._FPDFBitmap_CreateEx(width, pieceHeight, bgra, at, width * 4);
      pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, width, pieceHeight, isTransparent ? 0 : 0xffffffff);
      pdfium._FPDF_RenderPageBitmap(bitmap, page, 0, -top, width, height, 0, reverseByteOrder);
      const pixels = pdfium.HEAPU8.slice(at, at + size);
      pdfium._FPDFBitmap_Destroy(bitmap);
      pdfium.wasmExports.free(at);
      return pixels;
    },
  };
}
