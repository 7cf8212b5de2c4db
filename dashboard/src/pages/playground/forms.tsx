// The forms of version 1 in the playground.
import { useId } from 'react';
import type { Field, Values } from '#app/pages/playground/fields.ts';
import { Inputs } from '#app/pages/playground/inputs.tsx';
import { Presets } from '#app/pages/playground/presets.tsx';
import { Button } from '#app/parts/button.tsx';
import { TextField } from '#app/parts/field.tsx';
import { maxSize, typeNames } from '#app/uploading/accepted.ts';
import { UploadRequest } from '#shared/requests.ts';

export interface Running {
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
        inputMode="url"
        required
        placeholder="example.com"
        value={url}
        onChange={(event) => onUrl(event.target.value)}
        hint="A public http or https page."
      />
      {/* A PDF has a paper; its window matters to few. */}
      {!fields.some(({ path }) => path === 'paper_format') && (
        <Presets fields={fields} values={values} onValues={onValues} />
      )}
      <Inputs fields={fields} values={values} onValues={onValues} />
    </Frame>
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

/** The form itself, with its button. */
export function Frame({
  action,
  canRun,
  isRunning,
  onRun,
  children,
}: Running & { action: string; children: React.ReactNode }) {
  return (
    <form
      className="card grid content-start gap-4 self-start p-5 [&_:is(input,select,textarea)]:scroll-mb-24"
      onSubmit={(event) => {
        event.preventDefault();
        onRun();
      }}
    >
      {children}
      {/* A form may be longer than the window: its button stays in sight. */}
      <div className="sticky bottom-0 -mx-5 -mb-5 grid rounded-b-[14px] border-t bg-card px-5 py-3.5">
        <Button type="submit" tone="primary" icon="playground" busy={isRunning} disabled={!canRun}>
          {isRunning ? 'Running' : action}
        </Button>
      </div>
    </form>
  );
}
