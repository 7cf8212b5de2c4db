// Links the account to the sign-in provider of the operator, and unlinks it.
import { useState } from 'react';
import type { AnswerOf } from '#console/handlers.ts';
import { call } from '#app/api.ts';
import { CurrentPassword, currentPasswordOf } from '#app/pages/settings/current-password.tsx';
import { Button } from '#app/parts/button.tsx';
import { FormDialog } from '#app/parts/dialog.tsx';
import { FormProblem } from '#app/parts/form.tsx';
import { SettingRow } from '#app/parts/setting-rows.tsx';
import { useAction } from '#app/parts/use-action.ts';
import { VerifyFirst } from '#app/parts/verify-first.tsx';
import { providerProblem } from '#app/provider.ts';
import { useSearch } from '#app/router.tsx';
import type { Session } from '#app/session.ts';

type State = NonNullable<AnswerOf<'GET /second-factors'>['provider']>;

export function Provider({ session, provider: { name, linked } }: { session: Session; provider: State }) {
  const [search] = useSearch();
  const [isAsking, setAsking] = useState(false);
  return (
    <SettingRow title={name} intro={`Sign in with ${name}, in place of the password and the code.`}>
      {linked && <p className="mb-3">This account is linked.</p>}
      {session.verified || linked ? (
        <Button
          {...(linked && { tone: 'remove' })}
          disabled={linked && !session.has_password}
          onClick={() => setAsking(true)}
        >
          {linked ? 'Unlink' : `Link to ${name}`}
        </Button>
      ) : (
        <VerifyFirst />
      )}
      {linked && !session.has_password && (
        <p className="mt-2 text-sm text-quiet">Set a password first, or you could not sign in any more.</p>
      )}
      {!linked && <FormProblem error={providerProblem(search.get('oidc'), name)} />}
      {isAsking && <Ask name={name} linked={linked} session={session} onClose={() => setAsking(false)} />}
    </SettingRow>
  );
}

function Ask({ name, linked, session, onClose }: State & { session: Session; onClose: () => void }) {
  const link = useAction((body: { current_password?: string }) => call('POST /oidc/link', { body }), {
    quiet: true,
    onDone: ({ url }) => location.assign(url),
  });
  const unlink = useAction((body: { current_password?: string }) => call('POST /oidc/unlink', { body }), {
    quiet: true,
    touches: ['second factors'],
    done: 'Unlinked.',
    onDone: onClose,
  });
  const action = linked ? unlink : link;
  return (
    <FormDialog
      title={linked ? `Unlink ${name}?` : `Link to ${name}`}
      action={linked ? 'Unlink' : 'Continue'}
      {...(linked && { tone: 'danger' })}
      of={action}
      onSend={(form) => action.mutate(currentPasswordOf(form))}
      onClose={onClose}
    >
      <p className="text-quiet">
        {linked ? `${name} no longer signs you in here.` : `You sign in at ${name} once, and come back here.`}
      </p>
      {session.has_password && <CurrentPassword />}
    </FormDialog>
  );
}
