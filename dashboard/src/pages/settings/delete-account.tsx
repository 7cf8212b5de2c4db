// Deletes the account with everything in it.
import { useState } from 'react';
import { call } from '#app/api.ts';
import { textOf } from '#app/forms.ts';
import { CurrentPassword, currentPasswordOf } from '#app/pages/settings/current-password.tsx';
import { Button } from '#app/parts/button.tsx';
import { FormDialog } from '#app/parts/dialog.tsx';
import { TextField } from '#app/parts/field.tsx';
import { SettingRow } from '#app/parts/setting-rows.tsx';
import { useAction } from '#app/parts/use-action.ts';
import { leave, type Session } from '#app/session.ts';

export function DeleteAccount({ session }: { session: Session }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <SettingRow
      title="Delete the account"
      intro="Keys, uploads, renders and every link are deleted with it, at once and for good."
    >
      <Button icon="trash" tone="remove" onClick={() => setOpen(true)}>
        Delete account
      </Button>
      {isOpen && <Ask session={session} onClose={() => setOpen(false)} />}
    </SettingRow>
  );
}

function Ask({ session, onClose }: { session: Session; onClose: () => void }) {
  const remove = useAction(
    (body: { email: string; current_password?: string }) => call('POST /delete-account', { body }),
    {
      quiet: true,
      done: 'Your account is deleted.',
      onDone: leave,
    },
  );
  return (
    <FormDialog
      title="Delete your account?"
      action="Delete everything"
      tone="danger"
      of={remove}
      onSend={(form) => {
        remove.mutate({ email: textOf(form, 'email'), ...currentPasswordOf(form) });
      }}
      onClose={onClose}
    >
      <p className="text-quiet">
        All data of <strong className="font-medium text-ink">{session.email}</strong> is deleted and every
        link stops. This cannot be undone; export your data first if you want to keep it.
      </p>
      <TextField
        label="Type your e-mail address to confirm"
        name="email"
        required
        autoComplete="off"
        placeholder={session.email}
      />
      {session.has_password && <CurrentPassword />}
    </FormDialog>
  );
}
