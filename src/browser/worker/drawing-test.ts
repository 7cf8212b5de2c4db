// Draws a test page at start and checks it for invisible letters (a browser without fonts draws nothing and reports nothing) and
// for a strip below the viewport, which full-page captures need.
import sharp from 'sharp';
import type { Page } from '#browser/page/page.ts';

const samples: Record<string, string> = { Latin: 'Rgh', CJK: '水あ한', emoji: '😀' };
const cellPx = 120;
// The box that is drawn for a missing glyph. No font contains a noncharacter.
const missing = '\u{10fffd}';
export const drawingTestViewport = { width: 400, height: cellPx };

export interface DrawingTest {
  /** Scripts whose letters are drawn as nothing, or as the box for a missing glyph. */
  blankScripts: string[];
  drawsBelowViewport: boolean;
}

export async function testDrawing(page: Page, signal: AbortSignal): Promise<DrawingTest> {
  const texts = [...Object.values(samples), missing];
  const cells = texts.map((text) => `<div style="height:${cellPx}px;overflow:hidden">${text}</div>`).join('');
  const strip = `<div style="height:${cellPx}px;background:linear-gradient(to right,#000,#fff)"></div>`;
  const html = `<!doctype html><body style="margin:0;background:#fff;font:60px sans-serif">${cells}${strip}`;
  await page.session.send('Page.setDocumentContent', { frameId: page.frameId, html }, signal);
  const height = (texts.length + 1) * cellPx;
  const clip = { x: 0, y: 0, width: drawingTestViewport.width, height, scale: 1 };
  const { data } = await page.session.send('Page.captureScreenshot', { format: 'png', clip }, signal);
  const picture = Buffer.from(data, 'base64');
  const rows = await Promise.all([...texts, strip].map((_, index) => row(picture, index)));
  const box = rows[texts.length - 1]!;
  return {
    blankScripts: Object.keys(samples).filter((_, index) => isFlat(rows[index]!) || rows[index]!.equals(box)),
    drawsBelowViewport: !isFlat(rows.at(-1)!),
  };
}

async function row(picture: Buffer, index: number): Promise<Buffer> {
  const { width } = await sharp(picture).metadata();
  return sharp(picture)
    .extract({ left: 0, top: index * cellPx, width, height: cellPx })
    .removeAlpha()
    .raw()
    .toBuffer();
}

function isFlat(pixels: Buffer): boolean {
  return pixels.every((value) => value === pixels[0]);
}
