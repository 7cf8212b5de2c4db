// What the owner does to an account.
import { useState } from 'react';
import type { BodyOf } from '#http/dashboard/contract.ts';
import type { AdminAccount } from '#http/dashboard/schemas/admin.ts';
import { call } from '#app/api.ts';
import { textOf } from '#app/forms.ts';
import { number } from '#app/format.ts';
import { Button } from '#app/parts/button.tsx';
import { Confirm, Dialog, FormDialog } from '#app/parts/dialog.tsx';
import { SelectField, Switch, TextArea, TextField } from '#app/parts/field.tsx';
import { note } from '#app/parts/toast.tsx';
import { useAction } from '#app/parts/use-action.ts';
import type { Session } from '#app/session.ts';

type Plans = Session['plan'][];

const planChoices = (plans: Plans) => plans.map(({ id, name }) => ({ value: id, text: name }));

export function NewAccount({ plans, onClose }: { plans: Plans; onClose: () => void }) {
  const create = useAction(
    (body: { email: string; plan: string }) => call('POST /admin/accounts', { body }),
    {
      quiet: true,
      touches: ['accounts', 'audit'],
      onDone: ({ mail }) => {
        note(
          mail === 'sent'
            ? 'Account created. A one-time link is on its way.'
            : 'Account created. Its one-time link is in the service log.',
        );
        onClose();
      },
    },
  );
  return (
    <FormDialog
      title="New account"
      action="Create account"
      busy={create.isPending}
      error={create.error}
      onSend={(form) => create.mutate({ email: textOf(form, 'email'), plan: textOf(form, 'plan') })}
      onClose={onClose}
    >
      <TextField
        label="E-mail"
        name="email"
        type="email"
        required
        maxLength={254}
        autoComplete="off"
        hint="The person gets a one-time link to set a password."
      />
      <SelectField label="Plan" name="plan" choices={planChoices(plans)} defaultValue={plans[0]?.id} />
    </FormDialog>
  );
}

export function AccountDialog({
  account,
  plans,
  isSelf,
  onClose,
}: {
  account: AdminAccount;
  plans: Plans;
  /** Nobody can cut themselves off. */
  isSelf: boolean;
  onClose: () => void;
}) {
  const change = useAction(
    (body: BodyOf<'PATCH /admin/accounts/:id'>) =>
      call('PATCH /admin/accounts/:id', { id: account.id, body }),
    { touches: ['accounts', 'audit', 'overages'], done: 'Saved. It applies from the next request on.' },
  );
  const [wanted, setWanted] = useState(account.plan);
  const [isCutting, setCutting] = useState(false);
  const plan = plans.find(({ id }) => id === account.plan);
  const { upload, render } = account.usage;
  return (
    <Dialog title={account.email} onClose={onClose}>
      <div className="grid gap-5">
        <p className="text-sm text-quiet">
          This month: {number(upload.used)} uploads ({number(upload.overage)} over), {number(render.used)}{' '}
          renders ({number(render.overage)} over).
        </p>
        {/* Nothing is saved by moving through the list: a plan is somebody's quota. */}
        <form
          className="flex items-end gap-2.5"
          onSubmit={(event) => {
            event.preventDefault();
            change.mutate({ plan: wanted });
          }}
        >
          <SelectField
            label="Plan"
            className="flex-1"
            choices={planChoices(plans)}
            value={wanted}
            onChange={(event) => setWanted(event.target.value)}
          />
          <Button type="submit" busy={change.isPending} disabled={wanted === account.plan}>
            Change plan
          </Button>
        </form>
        <Line
          label="Verified"
          hint={
            isSelf
              ? 'Yours stays verified: without it your keys answer 401.'
              : 'The keys of an unverified account answer 401.'
          }
          checked={account.verified}
          busy={change.isPending || isSelf}
          onChange={(verified) => {
            if (verified) change.mutate({ verified });
            else setCutting(true);
          }}
        />
        <Line
          label="Overages"
          hint={plan?.overages === false ? 'Not on this plan.' : 'Requests go on past the quota.'}
          checked={account.overages}
          busy={change.isPending || plan?.overages === false}
          onChange={(overages) => change.mutate({ overages })}
        />
        {!account.owner && <Suspension account={account} busy={change.isPending} onChange={change.mutate} />}
      </div>
      {isCutting && (
        <Confirm
          title={`Take verification from ${account.email}?`}
          action="Take it away"
          busy={change.isPending}
          onConfirm={() => change.mutate({ verified: false }, { onSuccess: () => setCutting(false) })}
          onClose={() => setCutting(false)}
        >
          <p>All keys of this account answer 401 from the next request on, until it is verified again.</p>
        </Confirm>
      )}
    </Dialog>
  );
}

function Line({
  label,
  hint,
  checked,
  busy,
  onChange,
}: {
  label: string;
  hint: string;
  checked: boolean;
  busy: boolean;
  onChange: (next: boolean) => void;
}) {
  return (
    <div className="flex items-center justify-between gap-4">
      <div>
        <p className="text-sm font-medium">{label}</p>
        <p className="text-sm text-quiet">{hint}</p>
      </div>
      <Switch label={label} checked={checked} disabled={busy} onChange={onChange} />
    </div>
  );
}

function Suspension({
  account,
  busy,
  onChange,
}: {
  account: AdminAccount;
  busy: boolean;
  onChange: (body: { suspended: boolean; suspended_reason?: string }) => void;
}) {
  const [reason, setReason] = useState('');
  if (account.suspended)
    return (
      <div className="grid gap-3 rounded-[10px] bg-danger-soft p-4">
        <p className="font-medium text-danger">Suspended</p>
        {account.suspended_reason !== null && (
          <p className="text-sm wrap-anywhere">{account.suspended_reason}</p>
        )}
        <div>
          <Button busy={busy} onClick={() => onChange({ suspended: false })}>
            Lift the suspension
          </Button>
        </div>
      </div>
    );
  return (
    <form
      className="grid gap-3 border-t pt-5"
      onSubmit={(event) => {
        event.preventDefault();
        onChange({ suspended: true, suspended_reason: reason.trim() });
        setReason('');
      }}
    >
      <TextArea
        label="Reason for suspending"
        required
        maxLength={500}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
        hint="The person reads this. Keys answer 401 and links stop at once; nothing is deleted."
      />
      <div>
        <Button type="submit" tone="danger" busy={busy} disabled={reason.trim() === ''}>
          Suspend the account
        </Button>
      </div>
    </form>
  );
}
