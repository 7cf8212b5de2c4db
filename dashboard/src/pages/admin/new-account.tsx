// The owner creates an account; the person gets a link to sign in.
import { useState } from 'react';
import { call } from '#app/api.ts';
import { textOf } from '#app/forms.ts';
import { LinkDialog } from '#app/pages/admin/link-dialog.tsx';
import { FormDialog } from '#app/parts/dialog.tsx';
import { EmailField, SelectField } from '#app/parts/field.tsx';
import { note } from '#app/parts/toast.tsx';
import { useAction } from '#app/parts/use-action.ts';
import { useInstance, type Session } from '#app/session.ts';

export type Plans = Session['plan'][];

export const planChoices = (plans: Plans) => plans.map(({ id, name }) => ({ value: id, text: name }));

export function NewAccount({ plans, onClose }: { plans: Plans; onClose: () => void }) {
  const { data: instance } = useInstance();
  const [made, setMade] = useState<{ email: string; link: string }>();
  const create = useAction(
    (body: { email: string; plan: string }) => call('POST /admin/accounts', { body }),
    {
      quiet: true,
      touches: ['accounts', 'plans', 'audit'],
      onDone: ({ account, link }) => {
        if (link !== null) return setMade({ email: account.email, link });
        note(`Account created. An invitation is on its way to ${account.email}.`);
        onClose();
      },
    },
  );
  if (made)
    return (
      <LinkDialog
        title={`Invite ${made.email}`}
        text="It signs the person in once and lets them set a password. It works for three days."
        link={made.link}
        onClose={onClose}
      />
    );
  return (
    <FormDialog
      title="New account"
      action="Create account"
      of={create}
      onSend={(form) => create.mutate({ email: textOf(form, 'email'), plan: textOf(form, 'plan') })}
      onClose={onClose}
    >
      <EmailField
        autoComplete="off"
        hint={
          instance?.sends_mail === false
            ? 'You get a one-time link to send to this person.'
            : 'We mail a one-time link to set a password.'
        }
      />
      <SelectField label="Plan" name="plan" choices={planChoices(plans)} defaultValue={plans[0]?.id} />
    </FormDialog>
  );
}
