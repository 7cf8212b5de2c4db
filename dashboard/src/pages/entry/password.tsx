// A forgotten password: request a link, then open it to set a new one.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AnswerOf } from '#console/handlers.ts';
import { call } from '#app/api.ts';
import { date } from '#app/format.ts';
import { LinkButton } from '#app/parts/button.tsx';
import { Code } from '#app/parts/copy.tsx';
import { EmailField, TextField } from '#app/parts/field.tsx';
import { Form, Submit } from '#app/parts/form.tsx';
import { Operator } from '#app/parts/operator.tsx';
import { useAction } from '#app/parts/use-action.ts';
import { EntryFrame, textLink } from '#app/pages/entry/frame.tsx';
import { textOf } from '#app/forms.ts';
import { Link } from '#app/router.tsx';

const back = (
  <Link to="/sign-in" className={textLink}>
    Back to sign-in
  </Link>
);

export function ForgotPassword({ email }: { email: string }) {
  const [asked, setAsked] = useState('');
  const ask = useAction((address: string) => call('POST /forgot-password', { body: { email: address } }), {
    quiet: true,
  });
  if (ask.data)
    return (
      <EntryFrame title={ask.data.mail === 'sent' ? 'Check your mail' : 'Ask the operator'} foot={back}>
        {ask.data.mail === 'sent' ? (
          <p className="text-quiet" role="status">
            If there is an account with this address, a link to choose a new password is on its way. It works
            for an hour.
          </p>
        ) : (
          <div className="grid gap-3 text-quiet" role="status">
            <p>
              This service does not send mail. Ask <Operator /> for a link: they make one in the dashboard,
              under Accounts.
            </p>
            <p>The operator can also make one on the server:</p>
            <Code text={`npx tintype account link ${asked}`} what="command" wrap />
          </div>
        )}
      </EntryFrame>
    );
  return (
    <EntryFrame title="Set a new password" foot={back}>
      <Form
        of={ask}
        onSend={(form) => {
          setAsked(textOf(form, 'email'));
          ask.mutate(textOf(form, 'email'));
        }}
        actions={<Submit tone="primary">Get a link</Submit>}
      >
        <EmailField
          autoComplete="username"
          defaultValue={email}
          hint="You get a link to choose a new password."
        />
      </Form>
    </EntryFrame>
  );
}

export function ResetPassword({ token }: { token: string }) {
  const reset = useAction(
    (password: string) => call('POST /reset-password', { body: { token, new_password: password } }),
    { quiet: true },
  );
  // Check the link first, so that people do not choose a password for an expired one.
  const check = useQuery({
    queryKey: ['reset link', token],
    queryFn: () => call('POST /reset-password/check', { body: { token } }),
    enabled: token !== '',
    staleTime: Infinity,
  });
  if (token === '' || check.data?.works === false)
    return (
      <EntryFrame title={token === '' ? 'This link is not complete' : 'This link does not work'} foot={back}>
        <p className="mb-5 text-quiet">
          {token === ''
            ? 'Open it from the mail again, or ask for a new one.'
            : 'It has expired or was used before.'}
        </p>
        <LinkButton to="/forgot-password" tone="primary" className="w-full">
          Get a new link
        </LinkButton>
      </EntryFrame>
    );
  if (reset.isSuccess)
    return (
      <EntryFrame title="Your password is set">
        <p className="mb-5 text-quiet" role="status">
          All sessions were signed out.
        </p>
        <StillWorking {...reset.data} />
        <LinkButton to="/sign-in" tone="primary" className="w-full">
          Sign in
        </LinkButton>
      </EntryFrame>
    );
  return (
    <EntryFrame title="Choose a new password" foot={back}>
      <Form
        of={reset}
        onSend={(form) => reset.mutate(textOf(form, 'new_password'))}
        actions={<Submit tone="primary">Set password</Submit>}
      >
        <NewPassword />
      </Form>
    </EntryFrame>
  );
}

/** What the reset did not end: somebody else may have added it. */
function StillWorking({ codes, provider, passkeys, keys }: AnswerOf<'POST /reset-password'>) {
  if (!codes && !provider && passkeys.length === 0 && keys.length === 0)
    return <p className="mb-5 text-quiet">No passkey, two-step sign-in or API key is left.</p>;
  return (
    <section aria-labelledby="still" className="mb-5 rounded-[10px] bg-warn-soft p-4 text-sm">
      <h2 id="still" className="font-medium text-warn">
        These still work
      </h2>
      <p className="mt-1">
        Remove what you do not recognise: passkeys and the sign-in provider in the settings, keys on their
        page.
        {codes && ' If the two-step codes are not yours, ask the operator for a sign-in link.'}
      </p>
      <ul className="mt-3 grid gap-1.5">
        {codes && <li>Two-step sign-in: a code from an app after the password</li>}
        {provider && <li>Signing in with the provider that the account is linked to</li>}
        {passkeys.map(({ id, name, created_at }) => (
          <li key={id} className="wrap-anywhere">
            Passkey <strong className="font-medium">{name}</strong>, added {date(created_at)}
          </li>
        ))}
        {keys.map(({ name, display, created_at }) => (
          <li key={display + created_at} className="wrap-anywhere">
            API key <strong className="font-medium">{name}</strong>{' '}
            <code className="font-mono text-xs">{display}</code>, created {date(created_at)}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A password to choose; `rest` may name it differently. */
export function NewPassword(rest: { label?: string; name?: string }) {
  return (
    <TextField
      label="New password"
      name="new_password"
      type="password"
      autoComplete="new-password"
      required
      minLength={10}
      maxLength={128}
      hint="At least 10 characters."
      {...rest}
    />
  );
}
