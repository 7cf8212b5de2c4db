// One page of a PDF. It is drawn when it comes near the visible part of the frame and erased when it leaves, so that a long
// document holds only a few canvases.
import { useEffect, useRef, useState } from 'react';
import type { Pdf } from '#app/pdf/open-pdf.ts';

export function PreviewPage({
  pdf,
  number,
  frame,
  width,
}: {
  pdf: Pdf;
  number: number;
  /** The element that scrolls. */
  frame: React.RefObject<HTMLElement | null>;
  /** Of the frame; a change draws the page again. */
  width: number | undefined;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(false);
  const [shape, setShape] = useState(pdf.firstPage.shape);
  const [isBroken, setBroken] = useState(false);

  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => setNear(entry?.isIntersecting ?? false), {
      root: frame.current,
      rootMargin: '50% 0px',
    });
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, [frame]);

  useEffect(() => {
    const place = box.current;
    if (!isNear || !place || width === undefined) return undefined;
    const left = new AbortController();
    async function draw(target: HTMLElement): Promise<void> {
      const page = await pdf.page(number);
      left.signal.throwIfAborted();
      setShape(page.shape);
      await page.draw(target, left.signal);
    }
    draw(place).catch(() => {
      if (!left.signal.aborted) setBroken(true);
    });
    return () => left.abort();
  }, [pdf, number, width, isNear]);

  useEffect(() => {
    if (!isNear) box.current?.replaceChildren();
  }, [isNear]);

  return (
    <figure className="mx-auto w-full max-w-3xl">
      <div
        ref={box}
        // The smallest height limits how many pages are near at once.
        className="relative min-h-24 overflow-hidden bg-white shadow-small *:[canvas]:w-full"
        style={{ aspectRatio: shape }}
      />
      <figcaption className="mt-1.5 text-center text-xs text-quiet tabular-nums">
        Page {number} of {pdf.pageCount}
        {isBroken && ' could not be drawn'}
      </figcaption>
    </figure>
  );
}
