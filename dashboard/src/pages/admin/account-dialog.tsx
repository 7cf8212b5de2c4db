// One account, as the owner manages it.
import { useState } from 'react';
import type { BodyOf } from '#console/contract.ts';
import type { AdminAccount } from '#console/admin.ts';
import { call } from '#app/api.ts';
import { number } from '#app/format.ts';
import { AccountLinks } from '#app/pages/admin/account-links.tsx';
import { AllowedHosts } from '#app/pages/admin/allowed-hosts.tsx';
import { CutOff } from '#app/pages/admin/cut-off.tsx';
import { planChoices, type Plans } from '#app/pages/admin/new-account.tsx';
import { Button, LinkButton } from '#app/parts/button.tsx';
import { Confirm, Dialog } from '#app/parts/dialog.tsx';
import { SelectField, Switch } from '#app/parts/field.tsx';
import { useAction } from '#app/parts/use-action.ts';
import { Link } from '#app/router.tsx';

type Change = BodyOf<'PATCH /admin/accounts/:id'>;

/** A change that needs confirmation, with the text of the question. */
interface Question {
  title: string;
  action: string;
  text: string;
  change: Change;
}

export function AccountDialog({
  account,
  plans,
  isSelf,
  onClose,
}: {
  account: AdminAccount;
  plans: Plans;
  /** Owners cannot lock themselves out. */
  isSelf: boolean;
  onClose: () => void;
}) {
  const change = useAction((body: Change) => call('PATCH /admin/accounts/:id', { id: account.id, body }), {
    quiet: true,
    touches: ['accounts', 'plans', 'audit', 'overages'],
    done: 'Saved. It applies from the next request on.',
  });
  const [wanted, setWanted] = useState(account.plan);
  const [question, setQuestion] = useState<Question>();
  const plan = plans.find(({ id }) => id === account.plan);
  const next = plans.find(({ id }) => id === wanted);
  const { upload, render } = account.usage;
  const isPast = (of: Plans[number] | undefined): boolean =>
    of !== undefined && (upload.used >= of.uploads_per_month || render.used >= of.renders_per_month);
  const save = (body: Change, cut: Omit<Question, 'change'> | false = false) => {
    if (cut === false) change.mutate(body);
    else setQuestion({ ...cut, change: body });
  };
  return (
    <Dialog title={account.email} onClose={onClose}>
      <div className="grid gap-5">
        <p className="text-sm text-quiet">
          This month: {number(upload.used)} uploads ({number(upload.overage)} over), {number(render.used)}{' '}
          renders ({number(render.overage)} over).
        </p>
        <LinkButton to={`/admin/account?id=${account.id}`} icon="search" className="justify-self-start">
          Look into the account
        </LinkButton>
        {/* Moving through the list with arrow keys saves nothing, because a plan sets the account's quota. */}
        <form
          className="flex items-end gap-2.5"
          onSubmit={(event) => {
            event.preventDefault();
            save(
              { plan: wanted },
              isPast(next) && {
                title: `Move ${account.email} to ${next?.name}?`,
                action: 'Change plan',
                text: 'This month they have used more than that plan allows. From now on their requests answer 402, unless overages are on.',
              },
            );
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
          label="Overages"
          hint={plan?.overages === false ? 'Not on this plan.' : 'Requests go on past the quota.'}
          checked={account.overages}
          busy={change.isPending || plan?.overages === false}
          onChange={(overages) =>
            save(
              { overages },
              !overages &&
                isPast(plan) && {
                  title: `Turn overages off for ${account.email}?`,
                  action: 'Turn off',
                  text: 'Their quota is used up. From now on their requests answer 402.',
                },
            )
          }
        />
        <Line
          label="Verified"
          hint={
            isSelf
              ? 'Yours stays verified: without it your keys answer 401.'
              : 'The keys of an unverified account answer 401.'
          }
          checked={account.verified}
          busy={change.isPending || account.owner}
          onChange={(verified) =>
            save(
              { verified },
              !verified && {
                title: `Remove verification from ${account.email}?`,
                action: 'Remove',
                text: 'All keys of this account answer 401 from the next request on. If you verify it again here, they work again; if the person proves the address by a link, they are revoked.',
              },
            )
          }
        />
        <Line
          label="Owner"
          hint={
            isSelf
              ? 'You cannot remove your own ownership.'
              : 'Sees these pages and can do everything you can do here.'
          }
          checked={account.owner}
          busy={change.isPending || isSelf || account.suspended}
          onChange={(owner) =>
            save(
              { owner },
              {
                title: owner ? `Make ${account.email} an owner?` : `Remove ownership from ${account.email}?`,
                action: owner ? 'Make owner' : 'Remove',
                text: owner
                  ? 'They can then change, suspend and delete every account that is not an owner.'
                  : 'They no longer see these pages. Their account stays as it is.',
              },
            )
          }
        />
        <AllowedHosts
          account={account}
          busy={change.isPending}
          onSave={(allowed_hosts) => save({ allowed_hosts })}
        />
        {!isSelf && <AccountLinks account={account} />}
        {isSelf && (
          <p className="border-t pt-5 text-sm text-quiet">
            This is your account. Your password, sessions and data are in{' '}
            <Link to="/settings" className="font-medium text-accent underline underline-offset-2">
              your settings
            </Link>
            .
          </p>
        )}
        {!account.owner && <CutOff account={account} change={change} onGone={onClose} />}
      </div>
      {question && (
        <Confirm
          title={question.title}
          action={question.action}
          of={change}
          onConfirm={() => change.mutate(question.change, { onSuccess: () => setQuestion(undefined) })}
          onClose={() => setQuestion(undefined)}
        >
          <p>{question.text}</p>
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
