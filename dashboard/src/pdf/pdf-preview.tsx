// Shows a PDF in the page, drawn by pdf.js in every browser: many phones and hardened browsers have no viewer of their own.
import { useEffect, useRef, useState } from 'react';
import type { Pdf } from '#app/pdf/open-pdf.ts';
import { PreviewPage } from '#app/pdf/preview-page.tsx';
import { Icon } from '#app/parts/icon.tsx';
import { plural } from '#app/format.ts';

/** Each page is an element even before it is drawn, and a document can have any number of them. */
const maxPages = 500;

export function PdfPreview({ source, title }: { source: Blob | string; title: string }) {
  const [pdf, setPdf] = useState<Pdf>();
  const [isBroken, setBroken] = useState(false);
  useEffect(() => {
    const ended = new AbortController();
    openLazily(source, ended.signal)
      .then(setPdf)
      .catch(() => {
        if (!ended.signal.aborted) setBroken(true);
      });
    return () => ended.abort();
  }, [source]);
  if (isBroken) return <Broken />;
  if (!pdf)
    return (
      <div
        role="status"
        aria-label="Loading the PDF"
        className="h-96 animate-pulse rounded-[10px] bg-ink/5"
      />
    );
  return <Pages pdf={pdf} title={title} />;
}

async function openLazily(source: Blob | string, signal: AbortSignal): Promise<Pdf> {
  const { openPdf } = await import('#app/pdf/open-pdf.ts');
  return openPdf(source, signal);
}

function Pages({ pdf, title }: { pdf: Pdf; title: string }) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const count = Math.min(pdf.pageCount, maxPages);
  return (
    <div
      ref={frame}
      role="region"
      aria-label={`${title}, ${plural(pdf.pageCount, 'page')}`}
      // A region that scrolls can be reached and scrolled by keyboard.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      className="grid max-h-[36rem] gap-4 overflow-y-auto rounded-[10px] border bg-sunken p-3 sm:p-5"
    >
      {Array.from({ length: count }, (_, index) => (
        <PreviewPage key={index} pdf={pdf} number={index + 1} frame={frame} width={width} />
      ))}
      {count < pdf.pageCount && (
        <p className="text-center text-sm text-quiet">
          These are the first {count} pages. Open the PDF in a new tab to see all of them.
        </p>
      )}
    </div>
  );
}

/** The width of the element, kept up to date. Undefined until it is known. */
function useWidth(element: React.RefObject<HTMLElement | null>): number | undefined {
  const [width, setWidth] = useState<number>();
  useEffect(() => {
    if (!element.current) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry?.contentRect.width ?? 0)));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}

function Broken() {
  return (
    <div
      role="alert"
      className="grid min-h-48 place-items-center content-center gap-2 rounded-[10px] border bg-sunken px-6 py-8 text-center"
    >
      <Icon name="page" className="size-10 text-quiet" />
      <p className="font-medium">This PDF cannot be shown here</p>
      <p className="max-w-sm text-sm text-balance text-quiet">Open it in a new tab, or download it.</p>
    </div>
  );
}
