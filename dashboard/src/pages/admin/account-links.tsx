// Links that the owner makes for a person who cannot sign in: mailed, or shown with a Copy button if there is no mail.
import { useState } from 'react';
import type { AdminAccount } from '#console/admin.ts';
import type { BodyOf } from '#console/contract.ts';
import { call } from '#app/api.ts';
import { LinkDialog, type Unsent } from '#app/pages/admin/link-dialog.tsx';
import { Button } from '#app/parts/button.tsx';
import { note } from '#app/parts/toast.tsx';
import { useAction } from '#app/parts/use-action.ts';

type Kind = BodyOf<'POST /admin/accounts/:id/link'>['kind'];

const kinds: Record<Kind, { action: string; title: string; text: string }> = {
  'sign-in': {
    action: 'Sign-in link',
    title: 'A link to sign in',
    text: 'It signs the person in once, without a two-step code. It works for three days.',
  },
  password: {
    action: 'Password link',
    title: 'A link to set a password',
    text: 'It sets a new password once and ends the other sessions. It works for an hour.',
  },
  verification: {
    action: 'Verification link',
    title: 'A link to verify the address',
    text: 'The person follows it while signed in. It works once, for a day.',
  },
};

export function AccountLinks({ account }: { account: AdminAccount }) {
  const [unsent, setUnsent] = useState<Unsent>();
  const make = useAction(
    (kind: Kind) => call('POST /admin/accounts/:id/link', { id: account.id, body: { kind } }),
    { touches: ['audit'] },
  );
  const offered: Kind[] = account.verified
    ? ['sign-in', 'password']
    : ['sign-in', 'password', 'verification'];
  return (
    <div>
      <p className="text-sm font-medium">Help them sign in</p>
      <p className="text-sm text-quiet">Each link is for {account.email} and is recorded in the audit log.</p>
      <div className="mt-2 flex flex-wrap gap-2">
        {offered.map((kind) => (
          <Button
            key={kind}
            small
            busy={make.isPending && make.variables === kind}
            onClick={() =>
              make.mutate(kind, {
                onSuccess: ({ link }) => {
                  if (link === null) note(`${kinds[kind].action} mailed to ${account.email}.`);
                  else setUnsent({ ...kinds[kind], link });
                },
              })
            }
          >
            {kinds[kind].action}
          </Button>
        ))}
      </div>
      {unsent && <LinkDialog {...unsent} onClose={() => setUnsent(undefined)} />}
    </div>
  );
}
