// Modal dialogs on the platform's own <dialog>: it keeps the focus inside, gives it back, and closes on Escape.
import { useEffect, useId, useRef, type ReactNode } from 'react';
import { Button, IconButton } from '#app/parts/button.tsx';
import { FormProblem } from '#app/parts/form-problem.tsx';
import { Toasts } from '#app/parts/toast.tsx';

export function Dialog({
  title,
  onClose,
  wide = false,
  children,
}: {
  title: string;
  onClose: () => void;
  wide?: boolean;
  children: ReactNode;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const element = dialog.current;
    if (element?.open === false) element.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      className={`m-auto max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] overflow-y-auto overscroll-contain rounded-[14px] border bg-card p-0 text-ink shadow-large ${wide ? 'max-w-4xl' : 'max-w-md'}`}
    >
      <div className="sticky top-0 z-10 flex items-start gap-3 bg-card px-6 pt-5 pb-3">
        <h2 id={titleId} className="min-w-0 flex-1 font-serif text-xl/7 font-semibold wrap-anywhere">
          {title}
        </h2>
        <IconButton icon="cross" label="Close" onClick={onClose} className="-mt-1 -mr-2" />
      </div>
      <div className="px-6 pb-6">{children}</div>
      <Toasts />
    </dialog>
  );
}

/** The row of buttons that ends a dialog. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="mt-6 flex flex-wrap justify-end gap-2.5">{children}</div>;
}

interface FormDialogProps {
  title: string;
  /** What the button says that sends the form. */
  action: string;
  tone?: 'primary' | 'danger';
  busy?: boolean;
  /** Of the last try. */
  error?: Error | null;
  onSend: (form: FormData) => void;
  onClose: () => void;
  children: ReactNode;
}

/** A form that is sent or left. */
export function FormDialog({
  title,
  action,
  tone = 'primary',
  busy = false,
  error = null,
  onSend,
  onClose,
  children,
}: FormDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          onSend(new FormData(event.currentTarget));
        }}
      >
        {children}
        <FormProblem error={error} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone={tone} busy={busy}>
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** Asks before something that cannot be taken back. */
export function Confirm({
  onConfirm,
  children,
  ...dialog
}: Omit<FormDialogProps, 'tone' | 'onSend'> & { onConfirm: () => void }) {
  return (
    <FormDialog {...dialog} tone="danger" onSend={onConfirm}>
      <div className="grid gap-4 text-quiet">{children}</div>
    </FormDialog>
  );
}
