// Shows a PDF in the page if the browser has a PDF viewer. Otherwise, as on most phones, it says what to do instead.
import { Icon } from '#app/parts/icon.tsx';

export function PdfPreview({ address, title }: { address: string; title: string }) {
  if (!navigator.pdfViewerEnabled)
    return (
      <div className="grid min-h-48 place-items-center content-center gap-2 rounded-[10px] border bg-sunken px-6 py-8 text-center">
        <Icon name="page" className="size-10 text-quiet" />
        <p className="font-medium">The PDF is ready</p>
        <p className="max-w-sm text-sm text-balance text-quiet">
          This browser does not show PDFs inside a page. Open it in a new tab or download it.
        </p>
      </div>
    );
  return (
    // Browsers do not show PDFs in a sandboxed frame. No sandbox is needed: the bytes come from the service.
    // oxlint-disable-next-line react/iframe-missing-sandbox
    <iframe title={title} src={address} className="h-[36rem] w-full rounded-[10px] border bg-sunken" />
  );
}
