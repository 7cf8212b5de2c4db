// Short messages at the edge of the page, announced by screen readers; any code can show one. An open modal dialog makes
// everything outside it inert, so the messages appear inside the newest dialog.
import { useEffect, useId } from 'react';
import { Button, IconButton } from '#app/parts/button.tsx';
import { createStore } from '#app/parts/store.ts';

interface Toast {
  id: number;
  text: string;
  isProblem: boolean;
  action?: ToastAction | undefined;
}

interface ToastAction {
  text: string;
  run: () => void;
}

const noteMs = 4_000;
const problemMs = 10_000;
const toasts = createStore<Toast[]>([]);
/** Ids of the page's region and of the regions in open dialogs, in that order. */
const regions = createStore<string[]>([]);
let lastId = 0;

/** A message with an action stays longer. */
export const note = (text: string, action?: ToastAction): void => show(text, false, action);
export const problem = (error: unknown): void =>
  show(error instanceof Error ? error.message : String(error), true);

function show(text: string, isProblem: boolean, action?: ToastAction): void {
  lastId += 1;
  const id = lastId;
  toasts.set([...toasts.get().slice(-2), { id, text, isProblem, action }]);
  setTimeout(() => dismiss(id), isProblem || action ? problemMs : noteMs);
}

function dismiss(id: number): void {
  toasts.set(toasts.get().filter((toast) => toast.id !== id));
}

export function Toasts() {
  const id = useId();
  useEffect(() => {
    regions.set([...regions.get(), id]);
    return () => regions.set(regions.get().filter((region) => region !== id));
  }, [id]);
  const all = toasts.use((all) => all);
  const isNewest = regions.use((ids) => ids.at(-1) === id);
  const shown = isNewest ? all : [];
  return (
    <div
      role="status"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-4 bottom-4 z-50 grid justify-items-center gap-2"
    >
      {shown.map(({ id, text, isProblem, action }) => (
        <div
          key={id}
          className={`pointer-events-auto flex max-w-lg items-center gap-2 rounded-[11px] border py-1.5 pr-1.5 pl-4 shadow-large ${isProblem ? 'border-danger/40 bg-danger-soft text-danger' : 'border-line bg-card text-ink'}`}
        >
          <p className="wrap-anywhere">{text}</p>
          {action && (
            <Button
              small
              onClick={() => {
                dismiss(id);
                action.run();
              }}
            >
              {action.text}
            </Button>
          )}
          <IconButton icon="cross" label="Dismiss" onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
}
