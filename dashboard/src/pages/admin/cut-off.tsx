// Suspending and deleting an account. Both ask for confirmation and say what stops.
import { useState } from 'react';
import type { BodyOf } from '#console/contract.ts';
import type { AdminAccount } from '#console/admin.ts';
import { call } from '#app/api.ts';
import { textOf } from '#app/forms.ts';
import { Button } from '#app/parts/button.tsx';
import { FormDialog } from '#app/parts/dialog.tsx';
import { TextArea, TextField } from '#app/parts/field.tsx';
import type { FormAction } from '#app/parts/form.tsx';
import { useAction } from '#app/parts/use-action.ts';

type Change = (body: BodyOf<'PATCH /admin/accounts/:id'>, options?: { onSuccess: () => void }) => void;

export function CutOff({
  account,
  change,
  onGone,
}: {
  account: AdminAccount;
  change: FormAction & { mutate: Change };
  onGone: () => void;
}) {
  const [asked, setAsked] = useState<'suspend' | 'delete'>();
  const close = () => setAsked(undefined);
  return (
    <div className="grid gap-3 border-t pt-5">
      {account.suspended && (
        <div className="grid gap-3 rounded-[10px] bg-danger-soft p-4">
          <p className="font-medium text-danger">Suspended</p>
          {account.suspended_reason !== null && (
            <p className="text-sm wrap-anywhere">{account.suspended_reason}</p>
          )}
        </div>
      )}
      <div className="flex flex-wrap gap-2.5">
        {account.suspended ? (
          <Button busy={change.isPending} onClick={() => change.mutate({ suspended: false })}>
            Lift the suspension
          </Button>
        ) : (
          <Button tone="remove" onClick={() => setAsked('suspend')}>
            Suspend
          </Button>
        )}
        <Button tone="remove" icon="trash" onClick={() => setAsked('delete')}>
          Delete account
        </Button>
      </div>
      {asked === 'suspend' && (
        <FormDialog
          title={`Suspend ${account.email}?`}
          action="Suspend the account"
          tone="danger"
          of={change}
          onSend={(form) =>
            change.mutate(
              { suspended: true, suspended_reason: textOf(form, 'suspended_reason').trim() },
              { onSuccess: close },
            )
          }
          onClose={close}
        >
          <p className="text-quiet">
            Its keys answer 401 and its links stop from the next request on. Nothing is deleted, and you can
            lift the suspension at any time.
          </p>
          <TextArea
            label="Reason"
            name="suspended_reason"
            required
            maxLength={500}
            hint="The person sees this reason."
          />
        </FormDialog>
      )}
      {asked === 'delete' && <Delete account={account} onClose={close} onGone={onGone} />}
    </div>
  );
}

function Delete({
  account,
  onClose,
  onGone,
}: {
  account: AdminAccount;
  onClose: () => void;
  onGone: () => void;
}) {
  const remove = useAction(
    (email: string) => call('POST /admin/accounts/:id/delete', { id: account.id, body: { email } }),
    {
      quiet: true,
      touches: ['accounts', 'plans', 'audit', 'overages'],
      done: 'Account deleted. Its files will be deleted within minutes.',
      onDone: onGone,
    },
  );
  return (
    <FormDialog
      title={`Delete ${account.email}?`}
      action="Delete everything"
      tone="danger"
      of={remove}
      onSend={(form) => remove.mutate(textOf(form, 'email'))}
      onClose={onClose}
    >
      <p className="text-quiet">
        Keys, sessions and links stop at once. Uploads, renders and usage are deleted for good. This cannot be
        undone.
      </p>
      <TextField
        label="Type their e-mail address to confirm"
        name="email"
        required
        autoComplete="off"
        placeholder={account.email}
      />
    </FormDialog>
  );
}
