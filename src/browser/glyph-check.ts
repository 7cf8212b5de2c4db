// Draws a few letters of each kind at start, and tells which of them would be invisible: a browser without fonts draws
// nothing and says nothing. Design section 5 (which browser).
import sharp from 'sharp';
import type { Page } from '#browser/page/page.ts';

const samples: Record<string, string> = { Latin: 'Rgh', CJK: '水あ한', emoji: '😀' };
const cellPx = 120;
// The box that stands for a missing glyph; a noncharacter is in no font.
const missing = '\u{10fffd}';

export async function blankScripts(page: Page, signal: AbortSignal): Promise<string[]> {
  const texts = [...Object.values(samples), missing];
  const cells = texts.map((text) => `<div style="height:${cellPx}px;overflow:hidden">${text}</div>`).join('');
  const html = `<body style="margin:0;background:#fff;font:60px sans-serif">${cells}`;
  await page.session.send('Page.setDocumentContent', { frameId: page.frameId, html }, signal);
  const { data } = await page.session.send('Page.captureScreenshot', { format: 'png' }, signal);
  const picture = Buffer.from(data, 'base64');
  const rows = await Promise.all(texts.map((_, index) => row(picture, index)));
  const box = rows.at(-1)!;
  return Object.keys(samples).filter((_, index) => isFlat(rows[index]!) || rows[index]!.equals(box));
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
