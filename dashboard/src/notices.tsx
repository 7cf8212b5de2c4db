// Notices at the top of every page: what the user must still do before everything works.
import { call } from '#app/api.ts';
import { Button, LinkButton } from '#app/parts/button.tsx';
import { Operator } from '#app/parts/operator.tsx';
import { Banner } from '#app/parts/states.tsx';
import { note } from '#app/parts/toast.tsx';
import { useAction } from '#app/parts/use-action.ts';
import { QuotaNotice } from '#app/quota-notice.tsx';
import { useInstance, type Session } from '#app/session.ts';

export const noMail = 'This service does not send mail. Ask the operator to verify your address.';

export function Notices({ session }: { session: Session }) {
  const { data: instance } = useInstance();
  const send = useAction(() => call('POST /verify-email/send'), {
    onDone: ({ mail }) => note(mail === 'sent' ? `A new link is on its way to ${session.email}.` : noMail),
  });
  return (
    <>
      {!session.verified && (
        <Banner
          tone="warn"
          title="Verify your e-mail address"
          action={
            instance?.sends_mail !== false && (
              <Button busy={send.isPending} onClick={() => send.mutate(undefined)}>
                Send the link again
              </Button>
            )
          }
        >
          Until then your API keys answer 401 and nothing can be stored.{' '}
          {instance?.sends_mail === false ? (
            <>
              This service does not send mail: ask <Operator /> to verify it.
            </>
          ) : (
            `The link was sent to ${session.email}.`
          )}
        </Banner>
      )}
      {!session.has_password && (
        <Banner
          tone="accent"
          title="Set a password"
          action={
            <LinkButton to="/settings" tone="primary">
              Set a password
            </LinkButton>
          }
        >
          You signed in with a one-time link. Set a password so that you can sign in again.
        </Banner>
      )}
      <QuotaNotice />
    </>
  );
}
