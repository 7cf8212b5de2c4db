// Opens and draws PDFs with pdf.js, loaded when there is a PDF to show. Its parser runs in a worker from this origin, without
// WebAssembly: only image formats that Chromium does not print need it.
import {
  getDocument,
  GlobalWorkerOptions,
  TextLayer,
  VerbosityLevel,
  type PDFPageProxy,
} from 'pdfjs-dist/legacy/build/pdf.mjs';
// oxlint-disable-next-line import/default -- with ?url, Vite exports the address of the file
import worker from 'pdfjs-dist/legacy/build/pdf.worker.min.mjs?url';
import '#app/pdf/text-layer.css';

GlobalWorkerOptions.workerSrc = worker;

export interface Pdf {
  pageCount: number;
  firstPage: PdfPage;
  page: (number: number) => Promise<PdfPage>;
}

interface PdfPage {
  /** Width divided by height. */
  shape: number;
  /** Fills the box, as wide as it is. What the box shows stays until the new drawing is complete. */
  draw: (box: HTMLElement, signal: AbortSignal) => Promise<void>;
}

/** Limits of one canvas: more device pixels cannot be told apart, and phones refuse larger ones. */
const maxRatio = 2;
const maxPixels = 8_000_000;
const maxSide = 16_384;

/** `source`: the bytes, or where this service hosts them. Aborting the signal ends the worker. */
export async function openPdf(source: Blob | string, signal: AbortSignal): Promise<Pdf> {
  const data = await (typeof source === 'string' ? fetched(source, signal) : source.arrayBuffer());
  signal.throwIfAborted();
  const task = getDocument({ data, useWasm: false, verbosity: VerbosityLevel.ERRORS });
  signal.addEventListener('abort', () => void task.destroy());
  const pdf = await task.promise;
  const page = async (number: number) => pageOf(await pdf.getPage(number));
  return { pageCount: pdf.numPages, page, firstPage: await page(1) };
}

function pageOf(page: PDFPageProxy): PdfPage {
  const { width, height } = page.getViewport({ scale: 1 });
  return { shape: width / height, draw: (box, signal) => draw(page, box, signal) };
}

async function draw(page: PDFPageProxy, box: HTMLElement, signal: AbortSignal): Promise<void> {
  const scale = box.clientWidth / page.getViewport({ scale: 1 }).width;
  const viewport = page.getViewport({ scale });
  const { width, height } = viewport;
  const ratio = Math.min(
    devicePixelRatio,
    maxRatio,
    Math.sqrt(maxPixels / (width * height)),
    maxSide / Math.max(width, height),
  );
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  const text = document.createElement('div');
  text.className = 'pdf-text';
  text.style.setProperty('--total-scale-factor', String(scale));

  const drawing = page.render({ canvas, viewport, transform: [ratio, 0, 0, ratio, 0, 0] });
  const layer = new TextLayer({ textContentSource: page.streamTextContent(), container: text, viewport });
  signal.addEventListener('abort', () => {
    drawing.cancel();
    layer.cancel();
  });
  await Promise.all([drawing.promise, layer.render()]);
  signal.throwIfAborted();
  box.replaceChildren(canvas, text);
}

async function fetched(address: string, signal: AbortSignal): Promise<ArrayBuffer> {
  const response = await fetch(address, { signal });
  if (!response.ok) throw new Error(`The service answered ${response.status}.`);
  return response.arrayBuffer();
}
