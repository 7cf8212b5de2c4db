// The dialogs that make, change, reset and delete a plan, and show one of the plans file.
import { useState } from 'react';
import type { BodyOf } from '#console/contract.ts';
import { call } from '#app/api.ts';
import { number, plural, span } from '#app/format.ts';
import { textOf } from '#app/forms.ts';
import type { ListedPlan } from '#app/pages/admin/plans.tsx';
import { Button } from '#app/parts/button.tsx';
import { Confirm, Dialog, Facts, FormDialog } from '#app/parts/dialog.tsx';
import { Checkbox, TextField } from '#app/parts/field.tsx';
import { useAction } from '#app/parts/use-action.ts';

type Plan = BodyOf<'POST /admin/plans'>;
type NumberName =
  | 'uploads_per_month'
  | 'renders_per_month'
  | 'requests_per_minute'
  | 'concurrent_renders'
  | 'queued_renders';

/** Whatever shows a plan. */
const touches = ['plans', 'accounts', 'audit', 'session', 'overview', 'usage'];

const numbers: { name: NumberName; label: string; min: 0 | 1; first: number }[] = [
  { name: 'uploads_per_month', label: 'Uploads a month', min: 0, first: 1_000 },
  { name: 'renders_per_month', label: 'Renders a month', min: 0, first: 200 },
  { name: 'requests_per_minute', label: 'Requests a minute', min: 1, first: 60 },
  { name: 'concurrent_renders', label: 'Renders at once', min: 0, first: 2 },
  { name: 'queued_renders', label: 'Renders in the queue', min: 0, first: 100 },
];

function limitsIn(form: FormData): Omit<Plan, 'id'> {
  const count = (name: string) => Number(textOf(form, name));
  const life = textOf(form, 'max_link_seconds');
  return {
    name: textOf(form, 'name').trim(),
    uploads_per_month: count('uploads_per_month'),
    renders_per_month: count('renders_per_month'),
    requests_per_minute: count('requests_per_minute'),
    concurrent_renders: count('concurrent_renders'),
    queued_renders: count('queued_renders'),
    max_link_seconds: life === '' ? null : Number(life),
    overages: form.has('overages'),
    paid: form.has('paid'),
  };
}

const Limits = ({ plan }: { plan?: ListedPlan }) => (
  <>
    <div className="grid gap-4 sm:grid-cols-2">
      {numbers.map((one) => (
        <TextField
          key={one.name}
          label={one.label}
          name={one.name}
          type="number"
          required
          min={one.min}
          max={1_000_000_000}
          step={1}
          defaultValue={plan ? plan[one.name] : one.first}
        />
      ))}
    </div>
    <TextField
      label="Longest life of a link, in seconds"
      name="max_link_seconds"
      type="number"
      min={1}
      max={1_000_000_000}
      step={1}
      placeholder="no cap"
      defaultValue={plan?.max_link_seconds ?? ''}
      hint="Links that ask for no life have this one. A day is 86,400. Empty for no cap."
    />
    <Checkbox
      label="Overages"
      name="overages"
      defaultChecked={plan?.overages ?? true}
      hint="Accounts may turn them on, and go on past the quota."
    />
    <Checkbox
      label="Paid"
      name="paid"
      defaultChecked={plan?.paid ?? true}
      hint="Shown with the usage in the API. It limits nothing."
    />
  </>
);

const Name = ({ plan }: { plan?: ListedPlan }) => (
  <TextField
    label="Name"
    name="name"
    required
    maxLength={60}
    autoComplete="off"
    defaultValue={plan?.name}
    placeholder="Team"
  />
);

export function NewPlan({ onClose }: { onClose: () => void }) {
  const create = useAction(
    (form: FormData) =>
      call('POST /admin/plans', { body: { id: textOf(form, 'id').trim(), ...limitsIn(form) } }),
    { touches, quiet: true, done: 'Plan created.', onDone: onClose },
  );
  return (
    <FormDialog title="New plan" action="Create plan" of={create} onSend={create.mutate} onClose={onClose}>
      <Name />
      <TextField
        label="Id"
        name="id"
        required
        maxLength={40}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        placeholder="team"
        hint="What commands and the plans file call it. It cannot be changed later."
      />
      <Limits />
    </FormDialog>
  );
}

export const PlanDialog = (props: { plan: ListedPlan; onClose: () => void }) =>
  props.plan.source === 'file' ? <FiledPlan {...props} /> : <EditPlan {...props} />;

function FiledPlan({ plan, onClose }: { plan: ListedPlan; onClose: () => void }) {
  return (
    <Dialog title={plan.name} onClose={onClose}>
      <div className="grid gap-4">
        <p className="text-sm text-quiet">
          This plan cannot be changed here: it is in the file that the variable{' '}
          <code className="font-mono text-[0.8125rem]">PLANS_FILE</code> of the service names. Change it there
          and start the service again, or remove it there to decide here.
        </p>
        <Facts
          facts={[
            ['Id', plan.id],
            ...numbers.map((one): [string, string] => [one.label, number(plan[one.name])]),
            [
              'Longest life of a link',
              plan.max_link_seconds === null ? 'no cap' : span(plan.max_link_seconds),
            ],
            ['Overages', plan.overages ? 'available' : 'no'],
            ['Paid', plan.paid ? 'yes' : 'no'],
            ['Accounts', number(plan.accounts)],
          ]}
        />
      </div>
    </Dialog>
  );
}

function EditPlan({ plan, onClose }: { plan: ListedPlan; onClose: () => void }) {
  const edit = useAction(
    (form: FormData) => call('PATCH /admin/plans/:id', { id: plan.id, body: limitsIn(form) }),
    { touches, quiet: true, done: 'Saved. It applies from the next request on.', onDone: onClose },
  );
  const [isAsking, setAsking] = useState(false);
  const isUsed = plan.accounts > 0 && !plan.built_in;
  return (
    // Its form cannot hold the question, which is a form too.
    <>
      <FormDialog title={plan.name} action="Save" of={edit} onSend={edit.mutate} onClose={onClose}>
        <p className="text-sm text-quiet">
          {plan.accounts === 0
            ? 'No account has this plan.'
            : `Applies to ${plural(plan.accounts, 'account')} from the next request on.`}{' '}
          Its id is <span className="font-mono text-[0.8125rem] wrap-anywhere">{plan.id}</span>.
        </p>
        <Name plan={plan} />
        <Limits plan={plan} />
        {plan.source === 'dashboard' && (
          <div className="grid justify-items-start gap-2 border-t pt-4">
            <Button
              tone="remove"
              icon={plan.built_in ? 'refresh' : 'trash'}
              disabled={isUsed}
              onClick={() => setAsking(true)}
            >
              {plan.built_in ? 'Reset to the built-in numbers' : 'Delete plan'}
            </Button>
            {isUsed && (
              <p className="text-sm text-quiet">Move its accounts to another plan to delete this one.</p>
            )}
          </div>
        )}
      </FormDialog>
      {isAsking && <RemovePlan plan={plan} onClose={() => setAsking(false)} onGone={onClose} />}
    </>
  );
}

function RemovePlan({
  plan,
  onClose,
  onGone,
}: {
  plan: ListedPlan;
  onClose: () => void;
  onGone: () => void;
}) {
  const remove = useAction(() => call('DELETE /admin/plans/:id', { id: plan.id }), {
    touches,
    quiet: true,
    done: plan.built_in ? 'Plan reset.' : 'Plan deleted.',
    onDone: onGone,
  });
  return (
    <Confirm
      title={plan.built_in ? `Reset ${plan.name}?` : `Delete ${plan.name}?`}
      action={plan.built_in ? 'Reset the plan' : 'Delete the plan'}
      of={remove}
      onConfirm={() => remove.mutate(undefined)}
      onClose={onClose}
    >
      <p>
        {plan.built_in
          ? `It has its built-in name and numbers again. They apply to ${plural(plan.accounts, 'account')} from the next request on.`
          : 'No account has it. This cannot be undone.'}
      </p>
    </Confirm>
  );
}
