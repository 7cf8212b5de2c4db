// Copying: a button, a field with one, and a block of code with one.
import { useId, useState, type ReactNode } from 'react';
import { Button, IconButton } from '#app/parts/button.tsx';
import { note, problem } from '#app/parts/toast.tsx';

async function copy(text: string, what: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    note(`${what} copied.`);
    return true;
  } catch {
    // No clipboard without https: the text is selected by hand there.
    problem('The browser did not let this page copy. Select the text and copy it by hand.');
    return false;
  }
}

function useCopied(text: string, what: string): [boolean, () => void] {
  const [copied, setCopied] = useState(false);
  return [
    copied,
    () => {
      void copy(text, what).then((done) => {
        if (!done) return;
        setCopied(true);
        setTimeout(() => setCopied(false), 1_500);
      });
    },
  ];
}

export function CopyButton({
  text,
  what,
  children = 'Copy',
}: {
  text: string;
  /** Names what was copied, as in "Key copied." */
  what: string;
  children?: ReactNode;
}) {
  const [copied, run] = useCopied(text, what);
  return (
    <Button small icon={copied ? 'check' : 'copy'} onClick={run} aria-label={`Copy ${what.toLowerCase()}`}>
      {copied ? 'Copied' : children}
    </Button>
  );
}

export function CopyIcon({ text, what }: { text: string; what: string }) {
  const [copied, run] = useCopied(text, what);
  return <IconButton icon={copied ? 'check' : 'copy'} label={`Copy ${what.toLowerCase()}`} onClick={run} />;
}

export function CopyRow({ label, text }: { label: string; text: string }) {
  const id = useId();
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
      <CopyIcon text={text} what={label} />
    </div>
  );
}

export function Code({ text, what, wrap = false }: { text: string; what: string; wrap?: boolean }) {
  return (
    <div className="min-w-0 rounded-[10px] border border-line bg-sunken">
      <div className="flex items-center justify-between gap-3 border-b py-1.5 pr-1.5 pl-4 text-sm text-quiet">
        <span className="truncate">{what}</span>
        <CopyButton text={text} what={what} />
      </div>
      <pre
        // A block that can be scrolled must be reachable by keyboard.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        role="region"
        aria-label={what}
        className={`max-h-96 overflow-auto rounded-b-[10px] p-4 font-mono text-[0.8125rem]/5 ${wrap ? 'break-all whitespace-pre-wrap' : ''}`}
      >
        {text}
      </pre>
    </div>
  );
}
