// Form fields whose label, hint and error are linked for screen readers.
import { useId, type AriaAttributes, type ComponentProps, type ReactNode } from 'react';
import { useFieldTrouble } from '#app/parts/form.tsx';
import { Icon } from '#app/parts/icon.tsx';

interface Described {
  label: ReactNode;
  hint?: ReactNode;
}

/** A label, the control, its hint and its error. `children` gets the attributes that link the control to them. */
function Labelled({
  name,
  label,
  hint,
  className = '',
  children,
}: Described & {
  name: string | undefined;
  className?: string | undefined;
  children: (links: AriaAttributes & { id: string }) => ReactNode;
}) {
  const id = useId();
  const error = useFieldTrouble(name);
  return (
    <div className={`grid content-start gap-1.5 ${className}`}>
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children({
        id,
        'aria-invalid': error !== undefined || undefined,
        'aria-describedby': describedBy(id, hint, error),
      })}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-sm text-quiet">
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} role="alert" className="text-sm text-danger">
          {error}
        </p>
      )}
    </div>
  );
}

const describedBy = (id: string, hint: ReactNode, error?: string): string | undefined =>
  [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`].filter(Boolean).join(' ') ||
  undefined;

export function TextField({ label, hint, className, ...rest }: ComponentProps<'input'> & Described) {
  return (
    <Labelled name={rest.name} label={label} hint={hint} className={className}>
      {(links) => <input {...rest} {...links} className="control" />}
    </Labelled>
  );
}

export function EmailField(rest: ComponentProps<'input'> & { label?: ReactNode; hint?: ReactNode }) {
  return <TextField label="E-mail" name="email" type="email" required maxLength={254} {...rest} />;
}

export function TextArea({
  label,
  hint,
  className,
  isCode = false,
  ...rest
}: ComponentProps<'textarea'> & Described & { isCode?: boolean }) {
  return (
    <Labelled name={rest.name} label={label} hint={hint} className={className}>
      {(links) => (
        <textarea rows={3} {...rest} {...links} className={`control ${isCode ? 'font-mono text-sm' : ''}`} />
      )}
    </Labelled>
  );
}

interface Choice {
  value: string;
  text: string;
}

export function SelectField({ label, hint, className, ...rest }: ComponentProps<typeof Select> & Described) {
  return (
    <Labelled name={rest.name} label={label} hint={hint} className={className}>
      {(links) => <Select {...rest} {...links} />}
    </Labelled>
  );
}

/** It has no visible label: give it an aria-label. */
export function Select({
  choices,
  small = false,
  className = '',
  ...rest
}: ComponentProps<'select'> & { choices: Choice[]; small?: boolean }) {
  return (
    <span className={`relative inline-grid min-w-0 ${className}`}>
      <select
        {...rest}
        className={`control appearance-none truncate pr-9 ${small ? 'min-h-8 py-0 text-sm' : ''}`}
      >
        {choices.map(({ value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      <Icon
        name="right"
        className="pointer-events-none absolute top-1/2 right-2.5 size-4 -translate-y-1/2 rotate-90 text-quiet"
      />
    </span>
  );
}

export function Checkbox({ label, hint, ...rest }: ComponentProps<'input'> & Described) {
  const id = useId();
  return (
    <div className="flex items-start gap-2.5">
      <input
        {...rest}
        id={id}
        type="checkbox"
        className="mt-1 size-4 shrink-0 accent-accent"
        aria-describedby={describedBy(id, hint)}
      />
      <div>
        <label htmlFor={id} className="text-sm font-medium">
          {label}
        </label>
        {hint !== undefined && (
          <p id={`${id}-hint`} className="text-sm text-quiet">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}

/** A switch that takes effect at once. */
export function Switch({
  label,
  checked,
  onChange,
  disabled = false,
}: {
  label: string;
  checked: boolean;
  onChange: (next: boolean) => void;
  disabled?: boolean;
}) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={checked}
      aria-label={label}
      disabled={disabled}
      onClick={() => onChange(!checked)}
      className={`relative h-7 w-12 shrink-0 rounded-full border transition disabled:opacity-50 ${checked ? 'border-accent bg-accent' : 'border-edge bg-sunken'}`}
    >
      <span
        className={`absolute top-1/2 left-0.5 size-5.5 -translate-y-1/2 rounded-full border bg-card shadow-small transition-transform ${checked ? 'translate-x-5 border-card' : 'border-edge'}`}
      />
    </button>
  );
}

/** A small set of choices side by side; arrow keys move among them, as in any radio group. */
export function Segments({
  label,
  choices,
  value,
  onChange,
}: {
  label: string;
  choices: Choice[];
  value: string;
  onChange: (value: string) => void;
}) {
  const name = useId();
  return (
    <fieldset className="inline-flex max-w-full rounded-[10px] border border-line bg-sunken p-0.5">
      <legend className="sr-only">{label}</legend>
      {choices.map((choice) => (
        <label
          key={choice.value}
          className="min-w-0 cursor-pointer rounded-lg px-3 py-1.5 text-center text-sm font-medium text-quiet transition has-checked:bg-card has-checked:text-ink has-checked:shadow-small has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name={name}
            value={choice.value}
            checked={choice.value === value}
            onChange={() => onChange(choice.value)}
            className="sr-only"
          />
          {choice.text}
        </label>
      ))}
    </fieldset>
  );
}
