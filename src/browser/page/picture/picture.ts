// Makes the pictures of a settled page: of what the viewport shows, of the full page, of one element, of a part. None changes the page
// for the next. Spec 4.3.
import { limits } from '#core/limits.ts';
import { RenderFailure } from '#browser/browser.ts';
import type { PictureOutput } from '#browser/job.ts';
import type { Attempt, MadeOutput } from '#browser/page/attempt.ts';
import { projectionOf, type Projection } from '#browser/page/picture/projection.ts';
import { withoutBackground } from '#browser/page/change/background.ts';
import { capture, longestPx } from '#browser/page/picture/capture.ts';
import type { CaptureAtRest } from '#browser/page/open/page-at-rest.ts';
import {
  clipPart,
  elementPart,
  fullPagePart,
  viewportPart,
  type Part,
} from '#browser/page/picture/page-part.ts';
import { print } from '#browser/page/print/print.ts';
import { drawPage } from '#browser/page/picture/printed-page.ts';

export type Camera = (output: PictureOutput) => Promise<MadeOutput>;

export const isOfViewport = ({ fullPage, selector, clip }: PictureOutput): boolean =>
  !fullPage && selector === null && clip === null;

const atOnce: CaptureAtRest = (captureNow) => captureNow();

/** Called with each picture while the page is still as it shows it. */
export type OnPicture = (output: PictureOutput, project: () => Promise<Projection>) => Promise<void>;

/** `atRest` is for the first picture of the viewport; those of the viewport come before all others. */
export function createCamera(
  attempt: Attempt,
  atRest: CaptureAtRest = atOnce,
  onPicture: OnPicture = async () => {},
): Camera {
  const { page, task, deadline, begin } = attempt;
  const { view, maxPixels = limits.renderPixels } = task;
  let pixels = 0;
  let captureViewport = atRest;

  function count(more: number): void {
    pixels += more;
    if (pixels > maxPixels) throw tooManyPixels(maxPixels);
  }

  async function take(output: PictureOutput, part: Part, when: CaptureAtRest): Promise<MadeOutput> {
    const { area, scale, isCut } = part;
    const { width, height } = area ?? view;
    count(width * height * (view.pixelRatio * scale) ** 2);
    const wanted = { ...output, ...part, view };
    const captureNow = () => capture(page, wanted, begin, deadline);
    const picture = await withoutBackground(page, output.omitBackground, () => when(captureNow));
    await onPicture(output, () => projectionOf(attempt, output, part));
    return { ...picture, pages: null, cut: isCut ? cutWords(output) : null };
  }

  return async (output) => {
    const { selector, clip, fullPage, format, printed } = output;
    if (printed) return await drawPage(attempt, output, await print(attempt, printed), count);
    const longest = Math.floor(longestPx[format] / view.pixelRatio);
    if (selector !== null) {
      using element = await elementPart(attempt, output, selector, longest);
      return await take(output, element, atOnce);
    }
    if (clip) return await take(output, await clipPart(attempt, output, clip, longest), atOnce);
    if (fullPage) return await take(output, await fullPagePart(attempt, longest), atOnce);
    const made = await take(output, await viewportPart(attempt), captureViewport);
    captureViewport = atOnce;
    return made;
  };
}

function tooManyPixels(maxPixels: number): RenderFailure {
  const most = `${Math.floor(maxPixels / 1e6)} million pixels`;
  return new RenderFailure('too_large', `the pictures of a render may have at most ${most} together`);
}

function cutWords({ format }: PictureOutput): string {
  return `the picture was cut at ${longestPx[format].toLocaleString('en')} pixels, the most that ${format} can hold`;
}
