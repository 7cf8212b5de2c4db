// Sign-in with e-mail and password, then a code if the account needs one; or with a passkey instead of both.
import { useState } from 'react';
import { call } from '#app/api.ts';
import { textOf } from '#app/forms.ts';
import { EntryFrame, textLink } from '#app/pages/entry/frame.tsx';
import { Button } from '#app/parts/button.tsx';
import { EmailField, TextField } from '#app/parts/field.tsx';
import { Form, FormProblem, Submit } from '#app/parts/form.tsx';
import { Operator } from '#app/parts/operator.tsx';
import { useAction } from '#app/parts/use-action.ts';
import { askForPasskey, passkeyProblem, usePasskeySupport } from '#app/passkeys.ts';
import { providerProblem } from '#app/provider.ts';
import { Link, navigate } from '#app/router.tsx';
import { putSession, useInstance, type Session } from '#app/session.ts';

export function SignIn({ next, problem }: { next: string; problem: string | null }) {
  const { data: instance } = useInstance();
  const [email, setEmail] = useState('');
  const [needsCode, setNeedsCode] = useState(false);
  const enter = (session: Session) => {
    putSession(session);
    navigate(next, { replace: true });
  };
  const signIn = useAction((body: { email: string; password: string }) => call('POST /sign-in', { body }), {
    quiet: true,
    onDone: ({ signed_in: session }) => {
      if (session) enter(session);
      else setNeedsCode(true);
    },
  });
  if (needsCode) return <Code onEntered={enter} onBack={() => setNeedsCode(false)} />;
  return (
    <EntryFrame
      title="Sign in"
      foot={
        instance &&
        (instance.signups === 'open' ? (
          <p>
            New here?{' '}
            <Link to="/sign-up" className={textLink}>
              Create an account
            </Link>
          </p>
        ) : (
          <p>
            No account? Ask <Operator />.
          </p>
        ))
      }
    >
      <Form
        of={signIn}
        onSend={(form) => signIn.mutate({ email: textOf(form, 'email'), password: textOf(form, 'password') })}
        actions={
          <>
            <Submit tone="primary">Sign in</Submit>
            <PasskeyButton onEntered={enter} />
            {instance && <ProviderButton name={instance.sign_in_provider} next={next} problem={problem} />}
            <Link
              to={`/forgot-password${email === '' ? '' : `?email=${encodeURIComponent(email)}`}`}
              className={`justify-self-center text-sm ${textLink}`}
            >
              Forgot your password?
            </Link>
          </>
        }
      >
        <EmailField
          autoComplete="username"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <TextField
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          required
          maxLength={128}
        />
      </Form>
    </EntryFrame>
  );
}

function ProviderButton({
  name,
  next,
  problem,
}: {
  name: string | null;
  next: string;
  problem: string | null;
}) {
  const go = useAction(() => call('POST /oidc/start', { body: { next } }), {
    quiet: true,
    onDone: ({ url }) => location.assign(url),
  });
  if (name === null) return null;
  return (
    <>
      <Button icon="open" busy={go.isPending || go.isSuccess} onClick={() => go.mutate(undefined)}>
        Sign in with {name}
      </Button>
      <FormProblem error={go.error ?? providerProblem(problem, name)} />
    </>
  );
}

function PasskeyButton({ onEntered }: { onEntered: (session: Session) => void }) {
  const isSupported = usePasskeySupport();
  const enter = useAction(
    async () => {
      const { options } = await call('POST /sign-in/passkey/start');
      const response = await askForPasskey(options);
      return call('POST /sign-in/passkey', { body: { response } });
    },
    { quiet: true, onDone: onEntered },
  );
  if (!isSupported) return null;
  return (
    <>
      <Button icon="passkey" busy={enter.isPending} onClick={() => enter.mutate(undefined)}>
        Sign in with a passkey
      </Button>
      <FormProblem error={enter.error && passkeyProblem(enter.error)} />
    </>
  );
}

function Code({ onEntered, onBack }: { onEntered: (session: Session) => void; onBack: () => void }) {
  const [isRecovery, setRecovery] = useState(false);
  const send = useAction((code: string) => call('POST /sign-in/code', { body: { code } }), {
    quiet: true,
    onDone: onEntered,
  });
  return (
    <EntryFrame title={isRecovery ? 'Use a recovery code' : 'Enter your code'}>
      <Form
        of={send}
        onSend={(form) => send.mutate(textOf(form, 'code'))}
        actions={
          <>
            <Submit tone="primary">Sign in</Submit>
            <div className="flex flex-wrap justify-between gap-2 text-sm">
              <button type="button" className={textLink} onClick={() => setRecovery(!isRecovery)}>
                {isRecovery ? 'Use the app instead' : 'Use a recovery code'}
              </button>
              <button type="button" className={textLink} onClick={onBack}>
                Start over
              </button>
            </div>
          </>
        }
      >
        <TextField
          key={String(isRecovery)}
          label={isRecovery ? 'Recovery code' : 'Six-digit code'}
          name="code"
          required
          minLength={6}
          maxLength={20}
          autoComplete="one-time-code"
          {...(!isRecovery && { inputMode: 'numeric' as const })}
          hint={
            isRecovery
              ? 'One of the ten that you kept. Each works once.'
              : 'From the authenticator app where you set this up.'
          }
        />
      </Form>
    </EntryFrame>
  );
}
