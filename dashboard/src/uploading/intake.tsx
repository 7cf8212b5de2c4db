// Accepts files that are dropped or pasted anywhere in the window, on every page, and those that a phone has shared.
import { useEffect, useState } from 'react';
import { Icon } from '#app/parts/icon.tsx';
import { problem } from '#app/parts/toast.tsx';
import { acceptedTypes } from '#app/uploading/accepted.ts';
import { sendFiles } from '#app/uploading/queue.ts';
import { startSharing, takeShared } from '#app/uploading/shared.ts';
import { useSearch } from '#app/router.tsx';

let picker: HTMLInputElement | null = null;

const unverified = 'Verify your e-mail address first: until then nothing can be stored.';

export const chooseFiles = (): void => picker?.click();

export function Intake({ canUpload }: { canUpload: boolean }) {
  const [isOver, setOver] = useState(false);
  useShared(canUpload);

  useEffect(() => {
    const accept = (files: File[]) => {
      if (files.length === 0) return;
      if (canUpload) sendFiles(files);
      else problem(unverified);
    };
    const holdsFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') === true;
    /** A file field handles its own drops. */
    const isField = ({ target }: Event) =>
      target instanceof Element && target.closest('input[type="file"]') !== null;
    // Without this, a drop outside a file field makes the browser leave the dashboard and open the file.
    const over = (event: DragEvent) => {
      if (!holdsFiles(event) || isField(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      setOver(false);
      if (!holdsFiles(event) || isField(event)) return;
      event.preventDefault();
      accept([...(event.dataTransfer?.files ?? [])]);
    };
    const paste = (event: ClipboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.closest('input, textarea') !== null;
      // A copied table is on the clipboard as text and as a picture. In a text field, people want the text.
      if (isTyping && event.clipboardData?.types.includes('text/plain') === true) return;
      accept([...(event.clipboardData?.files ?? [])]);
    };
    const listening = new AbortController();
    const { signal } = listening;
    window.addEventListener('dragenter', over, { signal });
    window.addEventListener('dragover', over, { signal });
    window.addEventListener('dragleave', leave, { signal });
    window.addEventListener('drop', drop, { signal });
    document.addEventListener('paste', paste, { signal });
    return () => listening.abort();
  }, [canUpload]);

  return (
    <>
      <input
        ref={(element) => {
          picker = element;
        }}
        type="file"
        multiple
        accept={acceptedTypes}
        hidden
        aria-label="Files to upload"
        onChange={({ target }) => {
          sendFiles([...(target.files ?? [])]);
          target.value = '';
        }}
      />
      {isOver && (
        <div className="pointer-events-none fixed inset-3 z-50 grid place-items-center rounded-[18px] border-2 border-dashed border-accent bg-accent-soft/90 text-accent">
          <p className="flex items-center gap-3 font-serif text-2xl font-semibold">
            <Icon name="upload" className="size-8" /> Drop to upload
          </p>
        </div>
      )}
    </>
  );
}

/** Any site can send files to the share target, so they are held until the person presses the button. */
function useShared(canUpload: boolean): void {
  const [search, setSearch] = useSearch();
  const isShared = search.has('shared');
  useEffect(startSharing, []);
  useEffect(() => {
    if (!isShared) return;
    setSearch({ shared: undefined });
    void takeShared().then((files) => {
      if (files.length === 0) problem('What you shared did not arrive. Share it again.');
      else if (canUpload) sendFiles(files, 'held');
      else problem(unverified);
    });
  }, [isShared, canUpload, setSearch]);
}
