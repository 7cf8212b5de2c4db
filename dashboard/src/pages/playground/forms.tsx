// The forms of the playground.
import { useId } from 'react';
import { hintOf, patternOf, type Field, type Values } from '#app/pages/playground/fields.ts';
import { Presets } from '#app/pages/playground/presets.tsx';
import { Button } from '#app/parts/button.tsx';
import { Checkbox, SelectField, TextField } from '#app/parts/field.tsx';
import { maxSize, typeNames } from '#app/uploading/accepted.ts';
import { UploadRequest } from '#shared/requests.ts';

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
            key={field.path}
            field={field}
            value={values[field.path] ?? field.fallback}
            onChange={(value) => onValues({ ...values, [field.path]: value })}
          />
        ))}
      </div>
    </Frame>
  );
}

function Input({
  field,
  value,
  onChange,
}: {
  field: Field;
  value: string | number | boolean;
  onChange: (value: string | number | boolean) => void;
}) {
  const { label, path, kind, schema, isWide } = field;
  const hint = hintOf(field);
  const common = { label, name: path, ...(hint !== undefined && { hint }) };
  if (kind === 'flag')
    return (
      <div className="col-span-2">
        <Checkbox {...common} checked={value === true} onChange={(event) => onChange(event.target.checked)} />
      </div>
    );
  if (kind === 'choice')
    return (
      <SelectField
        {...common}
        {...(isWide && { className: 'col-span-2' })}
        value={String(value)}
        choices={(schema.enum ?? []).map((choice) => ({ value: choice, text: choice }))}
        onChange={(event) => onChange(event.target.value)}
      />
    );
  if (kind === 'number')
    return (
      <TextField
        {...common}
        title={schema.description}
        type="number"
        value={String(value)}
        min={schema.minimum}
        max={schema.maximum}
        step={schema.type === 'integer' ? 1 : 'any'}
        onChange={({ target }) => onChange(target.value === '' ? '' : Number(target.value))}
      />
    );
  return (
    <TextField
      {...common}
      title={schema.description}
      value={String(value)}
      pattern={patternOf(schema)}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}

const { expires_in: expiry = {} } = UploadRequest.properties;

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
        min={expiry.minimum}
        max={expiry.maximum}
        value={expiresIn ?? ''}
        onChange={({ target }) => onExpiresIn(target.value === '' ? undefined : Number(target.value))}
        hint={`${expiry.minimum} to ${expiry.maximum}; empty for the plan’s default.`}
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
