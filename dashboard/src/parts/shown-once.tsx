// A dialog with a secret that is shown only once.
import { useState, type ReactNode } from 'react';
import { Button } from '#app/parts/button.tsx';
import { Code } from '#app/parts/copy.tsx';
import { Dialog, DialogActions } from '#app/parts/dialog.tsx';

export function ShownOnce({
  title,
  what,
  secret,
  advice = 'This is the only time it is shown. Copy it now and keep it like a password.',
  onClose,
  children,
}: {
  title: string;
  what: string;
  secret: string;
  advice?: string;
  onClose: () => void;
  /** More to copy; `keep` is called when it was copied and has the secret in it. */
  children?: (keep: () => void) => ReactNode;
}) {
  const [isKept, setKept] = useState(false);
  const [isHeld, setHeld] = useState(false);
  const keep = () => setKept(true);
  return (
    // It cannot be shown again, so an extra key press must not close the dialog.
    <Dialog title={title} onClose={isKept ? onClose : () => setHeld(true)} wide>
      <div className="grid gap-4">
        <p className="rounded-[9px] bg-warn-soft px-3 py-2 text-sm text-warn" role="status">
          {isHeld && !isKept
            ? 'You have not copied it yet. Copy it, or choose “I have saved it”: it cannot be shown again.'
            : advice}
        </p>
        <Code text={secret} what={what} wrap isFirst onCopied={keep} />
        {children?.(keep)}
      </div>
      <DialogActions>
        <Button tone="primary" onClick={onClose}>
          I have saved it
        </Button>
      </DialogActions>
    </Dialog>
  );
}
