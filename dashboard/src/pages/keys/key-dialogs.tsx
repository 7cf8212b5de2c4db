// The dialogs that create, change, rotate and revoke a key. A new key is shown only once.
import { useState } from 'react';
import type { BodyOf } from '#console/contract.ts';
import type { Key } from '#console/views.ts';
import { call } from '#app/api.ts';
import { scopeNames } from '#app/format.ts';
import { textOf } from '#app/forms.ts';
import { Code } from '#app/parts/copy.tsx';
import { Confirm, FormDialog } from '#app/parts/dialog.tsx';
import { SelectField, TextField } from '#app/parts/field.tsx';
import { ShownOnce } from '#app/parts/shown-once.tsx';
import { useAction } from '#app/parts/use-action.ts';
import { useInstance } from '#app/session.ts';
import { firstCurl, firstRender } from '#app/snippets.ts';

const touches = ['keys', 'overview', 'usage'];

export function CreateKey({ onClose }: { onClose: () => void }) {
  const [today] = useState(() => localDay(new Date()));
  const create = useAction((body: BodyOf<'POST /keys'>) => call('POST /keys', { body }), {
    touches,
    quiet: true,
  });
  if (create.data)
    return (
      <NewKey
        title="Your new key"
        secret={create.data.secret}
        scope={create.data.key.scope}
        onClose={onClose}
      />
    );
  return (
    <FormDialog
      title="Create a key"
      action="Create key"
      of={create}
      onSend={(form) => {
        const last = textOf(form, 'expires_at');
        create.mutate({
          name: textOf(form, 'name').trim(),
          scope: textOf(form, 'scope') as Key['scope'],
          ...(last !== '' && { expires_at: endOfDay(last) }),
          ...quotaIn(form),
        });
      }}
      onClose={onClose}
    >
      <TextField
        label="Name"
        name="name"
        required
        maxLength={50}
        placeholder="laptop, blog, build server …"
        hint="Where it will be used, so that you know what stops when you revoke it. At most 50 characters."
      />
      <SelectField
        label="May be used for"
        name="scope"
        choices={Object.entries(scopeNames).map(([value, text]) => ({ value, text }))}
      />
      <TextField
        label="Last day (optional)"
        name="expires_at"
        type="date"
        min={today}
        hint="The key works to the end of this day. Leave it empty for a key that does not expire."
      />
      <OwnQuota />
    </FormDialog>
  );
}

/** The key's own share of the account's quota. */
function OwnQuota({ item }: { item?: Key }) {
  return (
    <fieldset className="grid grid-cols-1 gap-4 sm:grid-cols-2">
      <legend className="mb-3 text-sm text-quiet">
        Of the account's monthly quota, this key may use at most (leave empty for all of it):
      </legend>
      {quotaFields.map(({ name, label }) => (
        <TextField
          key={name}
          label={label}
          name={name}
          type="number"
          min={0}
          max={1_000_000_000}
          step={1}
          defaultValue={item?.[name] ?? ''}
        />
      ))}
    </fieldset>
  );
}

const quotaFields = [
  { name: 'uploads_per_month', label: 'Uploads a month (optional)' },
  { name: 'renders_per_month', label: 'Renders a month (optional)' },
] as const;

function quotaIn(form: FormData): Pick<Key, (typeof quotaFields)[number]['name']> {
  const unitsOf = (name: string) => {
    const given = textOf(form, name);
    return given === '' ? null : Number(given);
  };
  return {
    uploads_per_month: unitsOf('uploads_per_month'),
    renders_per_month: unitsOf('renders_per_month'),
  };
}

/** The end of a day in the reader's time zone. */
const endOfDay = (day: string): string => new Date(`${day}T23:59:59.999`).toISOString();
const localDay = (at: Date): string =>
  [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-');

function NewKey({
  title,
  secret,
  scope,
  onClose,
}: {
  title: string;
  secret: string;
  scope: Key['scope'];
  onClose: () => void;
}) {
  const { data: instance } = useInstance();
  const firstCall = scope === 'renders' ? firstRender : firstCurl;
  return (
    <ShownOnce title={title} what="Key" secret={secret} onClose={onClose}>
      {(keep) => (
        <div>
          <h3 className="mb-2 text-sm font-medium">
            {scope === 'renders' ? 'A first capture' : 'A first upload'}: paste this into a terminal
          </h3>
          <Code
            text={firstCall(instance?.base_url ?? location.origin, secret)}
            what="Command"
            wrap
            onCopied={keep}
          />
        </div>
      )}
    </ShownOnce>
  );
}

export function ChangeKey({ item, onClose }: { item: Key; onClose: () => void }) {
  const change = useAction(
    (body: BodyOf<'PATCH /keys/:id'>) => call('PATCH /keys/:id', { id: item.id, body }),
    { touches, quiet: true, done: 'Key changed.', onDone: onClose },
  );
  return (
    <FormDialog
      title={`Change ${item.name}`}
      action="Save"
      of={change}
      onSend={(form) => change.mutate({ name: textOf(form, 'name').trim(), ...quotaIn(form) })}
      onClose={onClose}
    >
      <TextField label="Name" name="name" required maxLength={50} defaultValue={item.name} />
      <OwnQuota item={item} />
    </FormDialog>
  );
}

type Grace = BodyOf<'POST /keys/:id/rotate'>['grace_seconds'];

export function RotateKey({ item, onClose }: { item: Key; onClose: () => void }) {
  const [grace, setGrace] = useState<Grace>(86_400);
  const rotate = useAction(
    () => call('POST /keys/:id/rotate', { id: item.id, body: { grace_seconds: grace } }),
    { touches, quiet: true },
  );
  if (rotate.data)
    return (
      <NewKey
        title={`The new ${item.name}`}
        secret={rotate.data.secret}
        scope={item.scope}
        onClose={onClose}
      />
    );
  return (
    <FormDialog
      title={`Rotate ${item.name}`}
      action="Rotate key"
      of={rotate}
      onSend={() => rotate.mutate(undefined)}
      onClose={onClose}
    >
      <p className="text-quiet">
        You get a new key of the same name, for the same uses. The old one keeps working for a while, so that
        nothing breaks while you replace it.
        {item.expires_at !== null &&
          ' The new key gets the same lifetime as the old one; the old one still expires on its date.'}
      </p>
      <SelectField
        label="The old key works for"
        value={String(grace)}
        onChange={(event) => setGrace(Number(event.target.value) as Grace)}
        choices={[
          { value: '3600', text: 'one more hour' },
          { value: '86400', text: 'one more day' },
          { value: '604800', text: 'seven more days' },
          { value: '0', text: 'no longer: it stops now' },
        ]}
      />
    </FormDialog>
  );
}

export function RevokeKey({ item, onClose }: { item: Key; onClose: () => void }) {
  const revoke = useAction(() => call('POST /keys/:id/revoke', { id: item.id }), {
    touches,
    done: 'Key revoked. It answers 401 from now on.',
    onDone: onClose,
  });
  return (
    <Confirm
      title={`Revoke ${item.name}?`}
      action="Revoke it"
      of={revoke}
      onConfirm={() => revoke.mutate(undefined)}
      onClose={onClose}
    >
      <p>Whatever uses this key gets 401 from its next request on. This cannot be undone.</p>
    </Confirm>
  );
}
