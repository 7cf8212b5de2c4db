// A form with its error: at the field if the service names one, otherwise above the buttons.
import {
  createContext,
  useContext,
  useLayoutEffect,
  useRef,
  useState,
  type ComponentProps,
  type ReactNode,
} from 'react';
import { ApiError } from '#app/api.ts';
import { Button } from '#app/parts/button.tsx';
import type { useAction } from '#app/parts/use-action.ts';

const FormState = createContext<{ trouble: ApiError | undefined; isPending: boolean }>({
  trouble: undefined,
  isPending: false,
});

/** The action that a form sends: its error is shown, and the button waits for it. */
export type FormAction = Pick<ReturnType<typeof useAction>, 'error' | 'isPending'>;

/** The error of the last submission for the field with this name, as a sentence. */
export function useFieldTrouble(name: string | undefined): string | undefined {
  const { trouble } = useContext(FormState);
  return name !== undefined && trouble?.field === name ? sentence(trouble.complaint) : undefined;
}

export function Form({
  of: { error, isPending },
  onSend,
  actions,
  className = '',
  children,
}: {
  of: FormAction;
  onSend: (form: FormData, element: HTMLFormElement) => void;
  /** The buttons at the end of the form. */
  actions: ReactNode;
  className?: string;
  children?: ReactNode;
}) {
  const form = useRef<HTMLFormElement>(null);
  const [shownAtField, setShownAtField] = useState<Error | null>(null);
  const trouble = error instanceof ApiError ? error : undefined;
  const field = trouble?.field;
  // Focus the field that the service named, so that it can be corrected at once.
  useLayoutEffect(() => {
    const named = field === undefined ? undefined : form.current?.elements.namedItem(field);
    if (!(named instanceof HTMLElement)) return;
    setShownAtField(error);
    named.focus();
  }, [error, field]);
  return (
    <FormState value={{ trouble, isPending }}>
      <form
        ref={form}
        className={`grid gap-4 ${className}`}
        onSubmit={(event) => {
          event.preventDefault();
          onSend(new FormData(event.currentTarget), event.currentTarget);
        }}
      >
        {children}
        <FormProblem error={shownAtField === error ? null : error} />
        {actions}
      </form>
    </FormState>
  );
}

/** The button that sends its form. */
export function Submit(button: ComponentProps<typeof Button>) {
  return <Button {...button} type="submit" busy={useContext(FormState).isPending} />;
}

/** The error of the last submission, announced when it appears, without the API's field name. */
export function FormProblem({ error }: { error: Error | null }) {
  return (
    <div role="alert" className="empty:absolute">
      {error && (
        <p className="rounded-[9px] bg-danger-soft px-3 py-2 text-sm text-danger wrap-anywhere">
          {plainMessage(error)}
        </p>
      )}
    </div>
  );
}

const plainMessage = (error: Error): string =>
  sentence(error instanceof ApiError ? error.complaint : error.message);

const sentence = (text: string): string => {
  const started = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(started) ? started : `${started}.`;
};
