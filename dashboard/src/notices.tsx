// Notices at the top of every page: what must still be done before everything works.
import { Button, LinkButton } from '#app/parts/button.tsx';
import { Operator } from '#app/parts/operator.tsx';
import { Banner } from '#app/parts/states.tsx';
import { QuotaNotice } from '#app/quota-notice.tsx';
import { useInstance, type Session } from '#app/session.ts';
import { useSendVerification } from '#app/use-send-verification.ts';

export function Notices({ session }: { session: Session }) {
  const { data: instance } = useInstance();
  const send = useSendVerification(session.email);
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
          Until then nothing can be stored, and you cannot add API keys, passkeys or two-step sign-in.{' '}
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
      {instance !== undefined && new URL(instance.base_url).origin !== location.origin && (
        <Banner tone="warn" title="Links lead to another address">
          You opened <strong className="wrap-anywhere">{location.origin}</strong>, but this service makes
          links to <strong className="wrap-anywhere">{instance.base_url}</strong>. If others cannot open that
          address, start it with <code className="wrap-anywhere">BASE_URL={location.origin}</code>.
        </Banner>
      )}
      <QuotaNotice />
    </>
  );
}
