// The way from one opened item of a list to those next to it: two buttons, and the arrow keys.
import { useEffect } from 'react';
import { Button } from '#app/parts/button.tsx';

export interface Neighbours {
  /** Their ids in the list. */
  previous: string | undefined;
  next: string | undefined;
  onOpen: (id: string) => void;
}

export function neighboursOf(items: { id: string }[], id: string): Omit<Neighbours, 'onOpen'> {
  const index = items.findIndex((item) => item.id === id);
  return {
    previous: items[index - 1]?.id,
    next: index === -1 ? undefined : items[index + 1]?.id,
  };
}

export function Steps({ previous, next, onOpen }: Neighbours) {
  useEffect(() => {
    const step = ({ key, target }: KeyboardEvent) => {
      if (target instanceof Element && target.closest('input, select, textarea, [role=region]') !== null)
        return;
      const id = key === 'ArrowLeft' ? previous : key === 'ArrowRight' ? next : undefined;
      if (id !== undefined) onOpen(id);
    };
    // In the capture phase, because the dialog stops the propagation of key events.
    document.addEventListener('keydown', step, true);
    return () => document.removeEventListener('keydown', step, true);
  });
  return (
    <span className="ml-auto inline-flex gap-2.5">
      <Step label="Previous" id={previous} onOpen={onOpen} />
      <Step label="Next" id={next} onOpen={onOpen} />
    </span>
  );
}

function Step({ label, id, onOpen }: Pick<Neighbours, 'onOpen'> & { label: string; id: string | undefined }) {
  return (
    <Button disabled={id === undefined} onClick={() => id !== undefined && onOpen(id)}>
      {label}
    </Button>
  );
}
