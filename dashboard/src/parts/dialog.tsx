// Modal dialogs based on <dialog>, which keeps the focus inside and restores it on closing.
import { useId, useLayoutEffect, useRef, type ReactNode } from 'react';
import { Button, IconButton } from '#app/parts/button.tsx';
import { Form, Submit, type FormAction } from '#app/parts/form.tsx';
import { Toasts } from '#app/parts/toast.tsx';

/** What gets the focus first, in this order: an element marked data-first, the first field, the first action button. */
const firstOf = ['[data-first]', 'input:not([readonly]), select, textarea', '[data-actions] button'];

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
  // A layout effect, because its cleanup runs before React removes the element: only a dialog that is still in the page
  // can restore the focus.
  useLayoutEffect(() => {
    const element = dialog.current!;
    const show = () => {
      if (!element.open) element.showModal();
    };
    show();
    const first = firstOf.map((selector) => element.querySelector<HTMLElement>(selector)).find(Boolean);
    // A long dialog opens at its top, even if what gets the focus is further down.
    (first ?? element.querySelector('h2'))?.focus({ preventScroll: true });
    // Some browsers close the dialog on a second Escape. Reopen it: only the page decides when it closes.
    element.addEventListener('close', show);
    return () => {
      element.removeEventListener('close', show);
      element.close();
      focusPageIfLost();
    };
  }, []);
  return (
    // Escape works wherever the focus is in the dialog.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      onKeyDown={(event) => {
        // An outer dialog must not react to the keys of this one.
        event.stopPropagation();
        if (event.key !== 'Escape') return;
        event.preventDefault();
        onClose();
      }}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      className={`m-auto max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] overflow-y-auto overscroll-contain rounded-[14px] border bg-card p-0 text-ink shadow-large ${wide ? 'max-w-4xl' : 'max-w-md'}`}
    >
      <div className="sticky top-0 z-10 flex items-start gap-3 bg-card px-6 pt-5 pb-3">
        <h2
          id={titleId}
          dir="auto"
          tabIndex={-1}
          className="min-w-0 flex-1 font-serif text-xl/7 font-semibold wrap-anywhere outline-none"
        >
          {title}
        </h2>
        <IconButton icon="cross" label="Close" onClick={onClose} className="-mt-1 -mr-2" />
      </div>
      <div className="px-6 pb-6">{children}</div>
      <Toasts />
    </dialog>
  );
}

/** If the element that opened the dialog is gone, for example a deleted row, the page's heading gets the focus. */
function focusPageIfLost(): void {
  setTimeout(() => {
    if (document.activeElement === null || document.activeElement === document.body)
      document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
  });
}

/** The details of what a dialog shows. */
export function Facts({ facts }: { facts: [name: string, value: string][] }) {
  return (
    <dl className="divide-y divide-line text-sm">
      {facts.map(([name, value]) => (
        <div key={name} className="flex justify-between gap-4 py-1.5">
          <dt className="text-quiet">{name}</dt>
          <dd className="text-right wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The row of buttons at the end of a dialog. */
export function DialogActions({ children }: { children: ReactNode }) {
  return (
    <div data-actions className="mt-6 flex flex-wrap justify-end gap-2.5">
      {children}
    </div>
  );
}

interface FormDialogProps {
  title: string;
  /** Text of the submit button. */
  action: string;
  tone?: 'primary' | 'danger';
  wide?: boolean;
  of: FormAction;
  onSend: (form: FormData) => void;
  onClose: () => void;
  children: ReactNode;
}

/** A dialog with a form, and buttons to submit or cancel it. */
export function FormDialog({
  title,
  action,
  tone = 'primary',
  wide = false,
  of,
  onSend,
  onClose,
  children,
}: FormDialogProps) {
  return (
    <Dialog title={title} onClose={onClose} wide={wide}>
      <Form
        of={of}
        onSend={onSend}
        actions={
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Submit tone={tone}>{action}</Submit>
          </DialogActions>
        }
      >
        {children}
      </Form>
    </Dialog>
  );
}

/** Asks for confirmation before something with consequences. */
export function Confirm({
  onConfirm,
  children,
  tone = 'danger',
  ...dialog
}: Omit<FormDialogProps, 'onSend'> & { onConfirm: () => void }) {
  return (
    <FormDialog {...dialog} tone={tone} onSend={onConfirm}>
      <div className="grid gap-4 text-quiet">{children}</div>
    </FormDialog>
  );
}
