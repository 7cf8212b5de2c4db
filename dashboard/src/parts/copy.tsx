// Copy buttons: on their own, with a field, and with a block of code.
import { useId, useState, type ComponentProps, type ReactNode } from 'react';
import { Button, IconButton } from '#app/parts/button.tsx';
import { note, problem } from '#app/parts/toast.tsx';

/** `what` is used in the message, as in "Key copied." */
export async function copy(text: string, what: string): Promise<boolean> {
  const isCopied = (await copyByClipboard(text)) || copyBySelection(text);
  if (isCopied) note(`${what.charAt(0).toUpperCase()}${what.slice(1)} copied.`);
  else problem('The browser did not allow copying. Select the text and copy it yourself.');
  return isCopied;
}

async function copyByClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Also works over plain http, where pages have no navigator.clipboard. Most people first open the dashboard that way. */
function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.className = 'sr-only';
  const focused = document.activeElement;
  // While a modal dialog is open, nothing outside it can be selected.
  ([...document.querySelectorAll('dialog:modal')].at(-1) ?? document.body).append(field);
  field.select();
  try {
    // Deprecated, but the only way without navigator.clipboard.
    // oxlint-disable-next-line typescript/no-deprecated
    return document.execCommand('copy');
  } catch {
    return false;
  } finally {
    field.remove();
    if (focused instanceof HTMLElement) focused.focus();
  }
}

function useCopied(text: string, what: string, onCopied?: () => void): [boolean, () => void] {
  const [copied, setCopied] = useState(false);
  return [
    copied,
    () => {
      void copy(text, what).then((done) => {
        if (!done) return;
        setCopied(true);
        onCopied?.();
        setTimeout(() => setCopied(false), 1_500);
      });
    },
  ];
}

export function CopyButton({
  text,
  what,
  onCopied,
  children,
  ...rest
}: ComponentProps<typeof Button> & {
  text: string;
  /** What is copied: `key`, `link of IMG_45.png`. */
  what: string;
  onCopied?: (() => void) | undefined;
  children?: ReactNode;
}) {
  const [copied, run] = useCopied(text, what, onCopied);
  const word = copied ? 'Copied' : 'Copy';
  return (
    <Button
      small
      {...rest}
      icon={copied ? 'check' : 'copy'}
      onClick={run} // The accessible name must contain the visible text.
      aria-label={children === undefined ? `${word} ${what}` : undefined}
    >
      {copied ? word : (children ?? word)}
    </Button>
  );
}

export function CopyIcon({ text, what }: { text: string; what: string }) {
  const [copied, run] = useCopied(text, what);
  return <IconButton icon={copied ? 'check' : 'copy'} label={`Copy ${what}`} onClick={run} />;
}

export function CopyRow({
  label,
  text,
  isFirst = false,
}: {
  label: string;
  text: string;
  isFirst?: boolean;
}) {
  const id = useId();
  const [copied, run] = useCopied(text, label);
  return (
    <div className="grid grid-cols-[5.5rem_minmax(0,1fr)_auto] items-center gap-2 text-sm">
      <label htmlFor={id} className="text-quiet">
        {label}
      </label>
      <input
        id={id}
        readOnly
        value={text}
        onFocus={(event) => event.target.select()}
        className="control min-h-9 truncate border-line bg-paper font-mono text-xs"
      />
      <IconButton
        icon={copied ? 'check' : 'copy'}
        label={`Copy ${label}`}
        onClick={run}
        data-first={isFirst || undefined}
      />
    </div>
  );
}

export function Code({
  text,
  what,
  wrap = false,
  isFirst = false,
  onCopied,
}: {
  text: string;
  what: string;
  wrap?: boolean;
  /** The copy button gets the focus when the dialog opens. */
  isFirst?: boolean;
  onCopied?: () => void;
}) {
  return (
    <div className="min-w-0 rounded-[10px] border border-line bg-sunken">
      <div className="flex items-center justify-between gap-3 border-b py-1.5 pr-1.5 pl-4 text-sm text-quiet">
        <span className="truncate">{what}</span>
        <CopyButton text={text} what={what} onCopied={onCopied} data-first={isFirst || undefined} />
      </div>
      <pre
        // A scrollable block must be reachable by keyboard.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        role="region"
        aria-label={what}
        className={`max-h-96 overflow-auto rounded-b-[10px] p-4 font-mono text-[0.8125rem]/5 ${wrap ? 'wrap-anywhere whitespace-pre-wrap' : ''}`}
      >
        {text}
      </pre>
    </div>
  );
}
