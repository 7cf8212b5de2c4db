// Reads the size of an SVG from its root element: width and height, otherwise the view box. SVG 2 section 8, CSS Values 6.
import { SaxesParser } from 'saxes';
import type { Dimensions } from '#core/image-header.ts';

const pixelsPerUnit: Record<string, number> = {
  '': 1,
  px: 1,
  in: 96,
  cm: 96 / 2.54,
  mm: 96 / 25.4,
  q: 96 / 101.6,
  pt: 96 / 72,
  pc: 16,
};

/** Takes sanitized bytes: UTF-8, no doctype, the root element first. */
export function readSvgDimensions(bytes: Buffer): Dimensions | undefined {
  const root = rootAttributes(bytes.toString('utf8'));
  const [width, height] = [toPixels(root['width']), toPixels(root['height'])];
  const box = viewBox(root['viewBox']);
  if (width !== undefined && height !== undefined) return rounded(width, height);
  if (box === undefined) return undefined;
  if (width !== undefined) return rounded(width, (width * box.height) / box.width);
  if (height !== undefined) return rounded((height * box.width) / box.height, height);
  return rounded(box.width, box.height);
}

function rootAttributes(text: string): Record<string, string> {
  let found: Record<string, string> = {};
  const parser = new SaxesParser({ xmlns: false, position: false });
  const rootSeen = new Error('the root element has been read');
  parser.on('opentag', ({ attributes }) => {
    found = attributes;
    throw rootSeen;
  });
  try {
    parser.write(text);
  } catch {
    // Either the root has been read, or the document is not well-formed and has no size.
  }
  return found;
}

/** Percentages and font-relative units depend on where the image is shown, so they give no size. */
function toPixels(length: string | undefined): number | undefined {
  const match = /^\s*\+?((?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?)([a-z]*)\s*$/i.exec(length ?? '');
  const pixels = Number(match?.[1]) * (pixelsPerUnit[match?.[2]?.toLowerCase() ?? ''] ?? NaN);
  return Number.isFinite(pixels) && pixels > 0 ? pixels : undefined;
}

function viewBox(text: string | undefined): Dimensions | undefined {
  const numbers = (text ?? '')
    .trim()
    .split(/[\s,]+/, 5)
    .map(Number);
  const [, , width = NaN, height = NaN] = numbers;
  return numbers.length === 4 && width > 0 && height > 0 ? { width, height } : undefined;
}

function rounded(width: number, height: number): Dimensions {
  return { width: Math.max(1, Math.round(width)), height: Math.max(1, Math.round(height)) };
}
