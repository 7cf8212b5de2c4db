// Reads a PDF with pdf.js, as a reader of it would: texts with their places, fonts, links, targets, outline, tags and information.
import type * as pdfjsDist from 'pdfjs-dist/legacy/build/pdf.mjs';

interface PrintedText {
  text: string;
  /** In points, from the lower left corner of the page. */
  x: number;
  y: number;
  font: string;
}

export interface PrintedPage {
  width: number;
  height: number;
  texts: PrintedText[];
  /** All of it, in the order of drawing. */
  text: string;
  /** Addresses, and names of targets after `#`. */
  links: string[];
  isTagged: boolean;
}

export interface Printed {
  pages: PrintedPage[];
  info: Record<string, unknown>;
  /** Bits of what readers may do; null if the file is not encrypted. */
  permissions: number[] | null;
  /** Titles of the outline, with those below. */
  outline: string[];
  /** Numbers of the pages that targets are on. */
  targets: Record<string, number>;
  /** Names of fonts that the file refers to, but does not have. */
  missingFonts: string[];
}

type Pdfjs = typeof pdfjsDist;

/** Without a canvas it says so, several times; nothing is drawn here. */
async function loadPdfjs(): Promise<Pdfjs> {
  const { warn } = console;
  console.warn = () => {};
  try {
    return await import('pdfjs-dist/legacy/build/pdf.mjs');
  } finally {
    console.warn = warn;
  }
}

let pdfjs: Promise<Pdfjs> | undefined;

/** Rejects if the password is wrong or missing. */
export async function readPrinted(bytes: Buffer, password?: string): Promise<Printed> {
  const { getDocument } = await (pdfjs ??= loadPdfjs());
  const task = getDocument({
    data: new Uint8Array(bytes),
    verbosity: 0,
    fontExtraProperties: true,
    ...(password !== undefined && { password }),
  });
  try {
    return await read(await task.promise);
  } finally {
    await task.destroy();
  }
}

async function read(document: pdfjsDist.PDFDocumentProxy): Promise<Printed> {
  const missingFonts = new Set<string>();
  const pages: PrintedPage[] = [];
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number);
    pages.push(await readPage(page, missingFonts));
    page.cleanup();
  }
  const { info } = await document.getMetadata();
  const permissions = await document.getPermissions();
  return {
    permissions: permissions && [...permissions].toSorted((a, b) => a - b),
    pages,
    info: info as Record<string, unknown>,
    outline: titlesOf((await document.getOutline()) ?? []),
    targets: await targetsOf(document),
    missingFonts: [...missingFonts],
  };
}

interface FontFace {
  name: string;
  missingFile?: boolean;
}

async function readPage(page: pdfjsDist.PDFPageProxy, missingFonts: Set<string>): Promise<PrintedPage> {
  const [, , width = 0, height = 0] = page.view;
  // Loads the fonts.
  await page.getOperatorList();
  const { items } = await page.getTextContent();
  const texts = items.flatMap((item): PrintedText[] => {
    if (!('str' in item) || item.str.trim() === '') return [];
    const face = page.commonObjs.get(item.fontName) as FontFace;
    if (face.missingFile === true) missingFonts.add(face.name);
    const [, , , , x, y] = item.transform as number[];
    return [{ text: item.str, x: x!, y: y!, font: face.name }];
  });
  const annotations = (await page.getAnnotations()) as { url?: string; dest?: string }[];
  return {
    width,
    height,
    texts,
    text: texts.map(({ text }) => text).join(' '),
    links: annotations.map(({ url, dest }) => url ?? `#${dest}`),
    isTagged: (await page.getStructTree()) !== null,
  };
}

interface OutlineNode {
  title: string;
  items: OutlineNode[];
}

const titlesOf = (nodes: OutlineNode[]): string[] =>
  nodes.flatMap(({ title, items }) => [title, ...titlesOf(items)]);

async function targetsOf(document: pdfjsDist.PDFDocumentProxy): Promise<Printed['targets']> {
  const found = (await document.getDestinations()) as unknown as Map<string, [{ num: number; gen: number }]>;
  const targets: Printed['targets'] = {};
  for (const [name, [ref]] of found) targets[name] = (await document.getPageIndex(ref)) + 1;
  return targets;
}
