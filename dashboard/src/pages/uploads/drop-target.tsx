// The whole page takes files: dropped, pasted, or chosen.
import { useEffect, useRef, useState, type DragEvent, type ReactNode, type RefObject } from 'react';
import { Icon } from '#app/parts/icon.tsx';

const accepted = 'image/png,image/jpeg,image/gif,image/webp,image/svg+xml,image/avif';

export function DropTarget({
  onFiles,
  isActive,
  input,
  children,
}: {
  onFiles: (files: File[]) => void;
  isActive: boolean;
  /** Clicked by the page's own button. */
  input: RefObject<HTMLInputElement | null>;
  children: ReactNode;
}) {
  // Entering a child counts up before leaving its parent counts down.
  const depth = useRef(0);
  const [isOver, setOver] = useState(false);

  useEffect(() => {
    const paste = ({ clipboardData }: ClipboardEvent) => {
      const files = [...(clipboardData?.files ?? [])];
      if (isActive && files.length > 0) onFiles(files);
    };
    document.addEventListener('paste', paste);
    return () => document.removeEventListener('paste', paste);
  }, [isActive, onFiles]);

  const move = (event: DragEvent, change: number) => {
    if (!isActive || !event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    depth.current += change;
    setOver(depth.current > 0);
  };
  return (
    <div
      className="min-h-[calc(100dvh-9rem)]"
      onDragEnter={(event) => move(event, 1)}
      onDragOver={(event) => move(event, 0)}
      onDragLeave={(event) => move(event, -1)}
      onDrop={(event) => {
        if (!isActive || !event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        depth.current = 0;
        setOver(false);
        onFiles([...event.dataTransfer.files]);
      }}
    >
      <input
        ref={input}
        type="file"
        multiple
        accept={accepted}
        hidden
        aria-label="Files to upload"
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          target.value = '';
        }}
      />
      {children}
      {isOver && (
        <div className="pointer-events-none fixed inset-3 z-40 grid place-items-center rounded-[18px] border-2 border-dashed border-accent bg-accent-soft/90 text-accent">
          <p className="flex items-center gap-3 font-serif text-2xl font-semibold">
            <Icon name="upload" className="size-8" /> Drop to upload
          </p>
        </div>
      )}
    </div>
  );
}
