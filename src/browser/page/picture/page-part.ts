// The parts of a page that a picture may show, in CSS pixels from the left and top edge of the document. What lies outside the
// viewport is shown as in a picture of the full page: loaded by scrolling through it, and seen from the start of the page.
import { RenderFailure } from '#browser/browser.ts';
import type { PictureOutput } from '#browser/job.ts';
import { fieldOf, type Attempt } from '#browser/page/attempt.ts';
import { maxPiecePixels } from '#browser/page/picture/capture.ts';
import type { Area, Patch } from '#browser/page/picture/encode.ts';
import { extentOf, revealFullPage, type PageExtent } from '#browser/page/picture/full-page.ts';
import { createElementTools } from '#browser/page/in-page/element-tools.ts';
import { findFirst } from '#browser/page/in-page/find-first.ts';
import { openTools } from '#browser/page/isolated-world.ts';
import { missingElement } from '#browser/page/missing-element.ts';
import { ignore } from '#browser/page/page-sessions.ts';
import { settle } from '#browser/page/open/settle.ts';
import { afterScrollVirtualMs } from '#browser/page/time/times.ts';

export interface Part {
  /** Undefined for what the viewport shows. */
  area: Area | undefined;
  patches: Patch[];
  /** The scale of the picture. */
  scale: number;
  /** Whether the picture would be too long for its format. */
  isCut: boolean;
}

/** An area is needed only to capture it in pieces. */
export async function viewportPart({ page, task: { view }, deadline }: Attempt): Promise<Part> {
  const { width, height, pixelRatio } = view;
  const whole = { area: undefined, patches: [], scale: 1, isCut: false };
  if (width * height * pixelRatio ** 2 <= maxPiecePixels) return whole;
  const { start, scale } = await extentOf(page, deadline.signal);
  return { ...whole, area: { ...start, width: width / scale, height: height / scale }, scale };
}

/**
 * As wide as the viewport, starting where the reader's view begins; as tall as the page, up to the format's limit. A page that
 * fits into the viewport is captured as the viewport.
 */
export async function fullPagePart(attempt: Attempt, longest: number): Promise<Part> {
  const { page, task, deadline } = attempt;
  const { view } = task;
  const { start, height, scale, patches } = await revealFullPage(page, view, longest, deadline);
  const seen = { width: view.width / scale, height: view.height / scale };
  if (height <= Math.ceil(seen.height)) return viewportPart(attempt);
  const tall = Math.min(height, Math.floor(longest / scale));
  // If lines run upwards, the page begins at its bottom, and that end is kept.
  const area = { x: start.x, y: Math.max(0, start.y + seen.height - tall), width: seen.width, height: tall };
  return { area, patches: scale === 1 ? patches : [], scale, isCut: tall < height };
}

/** Always as large as requested: beyond the page, the picture is empty. */
export async function clipPart(
  { page, task, deadline }: Attempt,
  output: PictureOutput,
  clip: Area,
  longest: number,
): Promise<Part> {
  const area = outwards(clip);
  const extent = await revealFullPage(page, task.view, Math.min(area.y + area.height, longest), deadline);
  if (area.x >= extent.width || area.y >= extent.height) {
    const words = `the clip lies outside the page, which is ${extent.width} x ${extent.height} px`;
    throw new RenderFailure('selector_missing', words, { field: fieldOf(task, output, 'clip') });
  }
  return cut(area, extent, longest);
}

/** The box of the first match. Disposing puts back what was scrolled to show it. */
export async function elementPart(
  attempt: Attempt,
  output: PictureOutput,
  selector: string,
  longest: number,
): Promise<Part & Disposable> {
  const { page, task, deadline } = attempt;
  const { signal } = deadline;
  const tools = await openTools(page, signal, createElementTools, findFirst);
  const shown = await tools.run('show', [selector], signal);
  if (typeof shown === 'string') throw missingElement(attempt, output, shown);
  if (shown.hasMoved) await settle(page, deadline, afterScrollVirtualMs);
  const extent = await revealFullPage(page, task.view, Math.min(shown.bottom, longest), deadline);
  const box = await tools.run('boxOf', [selector], signal);
  const { x, y } = extent.start;
  const area = box && within({ ...box, x: box.x + x, y: box.y + y }, extent);
  if (!area) throw missingElement(attempt, output, 'without a box');
  return {
    ...cut(area, extent, longest),
    [Symbol.dispose]() {
      ignore(tools.run('putBack', [], signal));
    },
  };
}

/** A fraction of a pixel would be cut off. */
function outwards({ x, y, width, height }: Area): Area {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  return { x: left, y: top, width: Math.ceil(x + width) - left, height: Math.ceil(y + height) - top };
}

/** The part of an area that is on the page; undefined if there is none. */
function within(area: Area, page: PageExtent): Area | undefined {
  const [x, y] = [Math.max(0, area.x), Math.max(0, area.y)];
  const width = Math.min(area.x + area.width, page.width) - x;
  const height = Math.min(area.y + area.height, page.height) - y;
  return width > 0 && height > 0 ? outwards({ x, y, width, height }) : undefined;
}

function cut(area: Area, { patches }: PageExtent, longest: number): Part {
  const [width, height] = [Math.min(area.width, longest), Math.min(area.height, longest)];
  const isCut = width < area.width || height < area.height;
  return { area: { ...area, width, height }, patches, scale: 1, isCut };
}
