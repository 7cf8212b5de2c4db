// The forms of the playground.
import { useId } from 'react';
import type { Field, Values } from '#app/pages/playground/fields.ts';
import { Presets } from '#app/pages/playground/presets.tsx';
import { Button } from '#app/parts/button.tsx';
import { Checkbox, SelectField, TextField } from '#app/parts/field.tsx';
import { maxSize, typeNames } from '#app/uploading/accepted.ts';

interface Running {
  canRun: boolean;
  isRunning: boolean;
  onRun: () => void;
}

export function RenderForm({
  fields,
  url,
  onUrl,
  values,
  onValues,
  ...running
}: Running & {
  fields: Field[];
  url: string;
  onUrl: (url: string) => void;
  values: Values;
  onValues: (values: Values) => void;
}) {
  return (
    <Frame {...running} action="Run">
      <TextField
        label="Address"
        name="url"
        type="url"
        required
        placeholder="https://…"
        value={url}
        onChange={(event) => onUrl(event.target.value)}
        hint="A public http or https page."
      />
      <Presets fields={fields} values={values} onValues={onValues} />
      <div className="grid grid-cols-2 gap-4">
        {fields.map((field) => (
          <Input
            key={field.name}
            field={field}
            value={values[field.name] ?? field.fallback}
            onChange={(value) => onValues({ ...values, [field.name]: value })}
          />
        ))}
      </div>
    </Frame>
  );
}

function Input({
  field: { name, label, hint, kind, choices = [], min, max, step, pattern, isWide },
  value,
  onChange,
}: {
  field: Field;
  value: string | number | boolean;
  onChange: (value: string | number | boolean) => void;
}) {
  if (kind === 'flag')
    return (
      <div className="col-span-2">
        <Checkbox
          label={label}
          {...(hint !== undefined && { hint })}
          name={name}
          checked={value === true}
          onChange={(event) => onChange(event.target.checked)}
        />
      </div>
    );
  if (kind === 'choice')
    return (
      <SelectField
        label={label}
        {...(hint !== undefined && { hint })}
        name={name}
        value={String(value)}
        {...(isWide && { className: 'col-span-2' })}
        choices={choices.map((choice) => ({ value: choice, text: choice }))}
        onChange={(event) => onChange(event.target.value)}
      />
    );
  const isNumber = kind === 'integer' || kind === 'number';
  return (
    <TextField
      label={label}
      {...(hint !== undefined && { hint })}
      name={name}
      type={isNumber ? 'number' : 'text'}
      value={String(value)}
      min={min}
      max={max}
      step={isNumber ? (step ?? 1) : undefined}
      pattern={pattern}
      title={pattern === undefined ? undefined : '0, pixels, or a number with px, in, cm or mm'}
      maxLength={isNumber ? undefined : 16}
      onChange={({ target }) =>
        onChange(isNumber && target.value !== '' ? Number(target.value) : target.value)
      }
    />
  );
}

export function UploadForm({
  onFile,
  expiresIn,
  onExpiresIn,
  ...running
}: Running & {
  onFile: (file: File | undefined) => void;
  expiresIn: number | undefined;
  onExpiresIn: (seconds: number | undefined) => void;
}) {
  const id = useId();
  return (
    <Frame {...running} action="Upload">
      <div className="grid gap-1.5">
        <label htmlFor={id} className="text-sm font-medium">
          File
        </label>
        <input
          id={id}
          name="file"
          type="file"
          required
          onChange={({ target }) => onFile(target.files?.[0])}
          className="control py-1.5 text-sm file:mr-3 file:rounded-md file:border-0 file:bg-accent-soft file:px-2.5 file:py-1 file:font-medium file:text-accent"
        />
        <p className="text-sm text-quiet">
          {typeNames}, up to {maxSize}.
        </p>
      </div>
      <TextField
        label="Expires in (seconds)"
        name="expires_in"
        type="number"
        min={60}
        max={31_536_000}
        value={expiresIn ?? ''}
        onChange={({ target }) => onExpiresIn(target.value === '' ? undefined : Number(target.value))}
        hint="60 to 31536000; empty for the plan’s default."
      />
    </Frame>
  );
}

function Frame({
  action,
  canRun,
  isRunning,
  onRun,
  children,
}: Running & { action: string; children: React.ReactNode }) {
  return (
    <form
      className="card grid content-start gap-4 self-start p-5"
      onSubmit={(event) => {
        event.preventDefault();
        onRun();
      }}
    >
      {children}
      <Button type="submit" tone="primary" icon="playground" busy={isRunning} disabled={!canRun}>
        {isRunning ? 'Running' : action}
      </Button>
    </form>
  );
}
