// The mailed link: verifies the e-mail address of the signed-in account.
import { useEffect } from 'react';
import { call } from '#app/api.ts';
import { Button, LinkButton, Spinner } from '#app/parts/button.tsx';
import { FormProblem } from '#app/parts/form.tsx';
import { useAction } from '#app/parts/use-action.ts';
import { EntryFrame } from '#app/pages/entry/frame.tsx';
import { putSession, type Session } from '#app/session.ts';
import { useSendVerification } from '#app/use-send-verification.ts';

export function VerifyEmail({ token, session }: { token: string; session: Session }) {
  const verify = useAction(() => call('POST /verify-email', { body: { token } }), {
    quiet: true,
    touches: ['overview'],
    onDone: putSession,
  });
  const send = useSendVerification(session.email);
  const { mutate } = verify;
  useEffect(() => {
    if (token !== '') mutate(undefined);
  }, [token, mutate]);

  if (verify.isSuccess)
    return (
      <EntryFrame title="Your address is verified">
        <p className="mb-5 text-quiet" role="status">
          {verify.data.email} is verified. You can upload, render and create API keys.
        </p>
        <LinkButton to="/" tone="primary" className="w-full">
          Go to the overview
        </LinkButton>
      </EntryFrame>
    );
  if (token !== '' && !verify.isError)
    return (
      <EntryFrame title="Verifying your address">
        <p className="flex items-center gap-3 text-quiet" role="status">
          <Spinner /> One moment.
        </p>
      </EntryFrame>
    );
  return (
    <EntryFrame title="This link does not work">
      <FormProblem error={verify.error} />
      <p className="my-4 text-quiet">
        It may have been used or be too old. You are signed in as {session.email}.
      </p>
      <div className="flex flex-wrap gap-2.5">
        {!session.verified && (
          <Button tone="primary" busy={send.isPending} onClick={() => send.mutate(undefined)}>
            Send a new one
          </Button>
        )}
        <LinkButton to="/">Go to the overview</LinkButton>
      </div>
    </EntryFrame>
  );
}
