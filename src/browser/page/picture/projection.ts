// Where a point of the document is in a picture of it: after the part was cut out, scaled to device pixels and resized.
import type { PictureOutput, Resize } from '#browser/job.ts';
import type { Attempt } from '#browser/page/attempt.ts';
import type { Part } from '#browser/page/picture/page-part.ts';

/** From CSS pixels of the document to pixels of the picture. */
export interface Projection {
  x: (documentX: number) => number;
  y: (documentY: number) => number;
}

/** The projection of the part as the page shows it now. */
export async function projectionOf(
  { page, task: { view }, deadline }: Attempt,
  { resize }: Pick<PictureOutput, 'resize'>,
  { area, scale }: Pick<Part, 'area' | 'scale'>,
): Promise<Projection> {
  const seen = area ? { ...area, scale } : await seenNow();
  const ratio = view.pixelRatio * seen.scale;
  const [width, height] = [seen.width * ratio, seen.height * ratio];
  const smaller = resize ? factorOf(resize, width, height) : 1;
  const cutX = resize?.fit === 'cover' ? Math.max(0, width * smaller - resize.width!) / 2 : 0;
  const cutY = resize?.fit === 'cover' ? Math.max(0, height * smaller - resize.height!) / 2 : 0;
  return {
    x: (x) => (x - seen.x) * ratio * smaller - cutX,
    y: (y) => (y - seen.y) * ratio * smaller - cutY,
  };

  /** What the viewport shows: the page may have been scrolled. */
  async function seenNow() {
    const metrics = await page.session.send('Page.getLayoutMetrics', undefined, deadline.signal);
    const { pageX: x, pageY: y, scale: shownScale } = metrics.cssVisualViewport;
    return { x, y, width: view.width / shownScale, height: view.height / shownScale, scale: shownScale };
  }
}

/** The projection of the whole page, as a picture of it would show it: for a render without a picture. */
export const wholePage = ({ task: { view } }: Attempt): Projection => ({
  x: (x) => x * view.pixelRatio,
  y: (y) => y * view.pixelRatio,
});

/** Never enlarged. */
function factorOf({ width, height, fit }: Resize, fromWidth: number, fromHeight: number): number {
  const factors = [
    width === null ? [] : width / fromWidth,
    height === null ? [] : height / fromHeight,
  ].flat();
  return Math.min(1, fit === 'cover' ? Math.max(...factors) : Math.min(...factors));
}
