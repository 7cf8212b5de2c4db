// Passkeys: sign in with the device's lock instead of a password.
import { useState } from 'react';
import type { AnswerOf } from '#console/handlers.ts';
import { call } from '#app/api.ts';
import { textOf } from '#app/forms.ts';
import { date } from '#app/format.ts';
import { CurrentPassword } from '#app/pages/settings/current-password.tsx';
import { Button } from '#app/parts/button.tsx';
import { FormDialog } from '#app/parts/dialog.tsx';
import { TextField } from '#app/parts/field.tsx';
import { SettingRow } from '#app/parts/setting-rows.tsx';
import { useAction } from '#app/parts/use-action.ts';
import { VerifyFirst } from '#app/parts/verify-first.tsx';
import { createPasskey, passkeyProblem, usePasskeySupport } from '#app/passkeys.ts';
import type { Session } from '#app/session.ts';

type Item = AnswerOf<'GET /second-factors'>['passkeys'][number];

export function Passkeys({ session, passkeys }: { session: Session; passkeys: Item[] }) {
  const isSupported = usePasskeySupport();
  const [isAdding, setAdding] = useState(false);
  const [leaving, setLeaving] = useState<Item>();
  return (
    <SettingRow
      title="Passkeys"
      intro="Sign in with your fingerprint, face or security key, in place of the password and the code."
    >
      {passkeys.length > 0 && (
        <ul className="mb-3 divide-y divide-line">
          {passkeys.map((item) => (
            <li key={item.id} className="flex items-center gap-4 py-2 first:pt-0">
              <div className="min-w-0 flex-1">
                <p className="font-medium wrap-anywhere">{item.name}</p>
                <p className="text-sm text-quiet">Added {date(item.created_at)}</p>
              </div>
              <Button small tone="remove" aria-label={`Remove ${item.name}`} onClick={() => setLeaving(item)}>
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
      {session.verified ? (
        <Button icon="plus" disabled={!isSupported || !session.has_password} onClick={() => setAdding(true)}>
          Add a passkey
        </Button>
      ) : (
        <VerifyFirst />
      )}
      {session.verified && !isSupported && (
        <p className="mt-2 text-sm text-quiet">
          Passkeys need https and the address that the service is configured with.
        </p>
      )}
      {isSupported && !session.has_password && (
        <p className="mt-2 text-sm text-quiet">Set a password first.</p>
      )}
      {isAdding && <Add onClose={() => setAdding(false)} />}
      {leaving && <Remove item={leaving} onClose={() => setLeaving(undefined)} />}
    </SettingRow>
  );
}

function Add({ onClose }: { onClose: () => void }) {
  const add = useAction(
    async ({ name, password }: { name: string; password: string }) => {
      const { options } = await call('POST /passkeys/start', { body: { current_password: password } });
      const response = await createPasskey(options);
      await call('POST /passkeys', { body: { name, response } });
    },
    { quiet: true, touches: ['second factors'], done: 'Passkey added.', onDone: onClose },
  );
  return (
    <FormDialog
      title="Add a passkey"
      action="Continue"
      of={{ ...add, error: add.error && passkeyProblem(add.error) }}
      onSend={(form) =>
        add.mutate({ name: textOf(form, 'name').trim(), password: textOf(form, 'current_password') })
      }
      onClose={onClose}
    >
      <TextField
        label="Name"
        name="name"
        required
        maxLength={80}
        autoComplete="off"
        placeholder="My laptop"
        hint="So that you recognise it in the list."
      />
      <CurrentPassword />
    </FormDialog>
  );
}

function Remove({ item, onClose }: { item: Item; onClose: () => void }) {
  const remove = useAction(
    (password: string) => call('DELETE /passkeys/:id', { id: item.id, body: { current_password: password } }),
    { quiet: true, touches: ['second factors'], done: 'Passkey removed.', onDone: onClose },
  );
  return (
    <FormDialog
      title={`Remove ${item.name}?`}
      action="Remove"
      tone="danger"
      of={remove}
      onSend={(form) => remove.mutate(textOf(form, 'current_password'))}
      onClose={onClose}
    >
      <p className="text-quiet">It no longer signs you in here. Delete it on the device as well.</p>
      <CurrentPassword />
    </FormDialog>
  );
}
