// The one-time link from the first start, or for an account that the owner created: signs in and asks for a password.
import { useEffect } from 'react';
import { call } from '#app/api.ts';
import { Button, LinkButton, Spinner } from '#app/parts/button.tsx';
import { TextField } from '#app/parts/field.tsx';
import { Form, FormProblem, Submit } from '#app/parts/form.tsx';
import { useAction } from '#app/parts/use-action.ts';
import { NewPassword } from '#app/pages/entry/password.tsx';
import { EntryFrame } from '#app/pages/entry/frame.tsx';
import { textOf } from '#app/forms.ts';
import { navigate, Redirect } from '#app/router.tsx';
import { putSession, type Session } from '#app/session.ts';

export function Welcome({ token, session }: { token: string; session: Session | null }) {
  const enter = useAction(() => call('POST /welcome', { body: { token } }), {
    quiet: true,
    onDone: (entered) => {
      putSession(entered);
      // The token has been used; a reload must not try it again.
      navigate('/welcome', { replace: true });
    },
  });
  const { mutate } = enter;
  useEffect(() => {
    if (token !== '') mutate(undefined);
  }, [token, mutate]);

  if (token !== '' && enter.isError)
    return (
      <EntryFrame title="This link does not work">
        <FormProblem error={enter.error} />
        <p className="my-4 text-quiet">
          A one-time link works once. If you have set a password, sign in with it.
        </p>
        <LinkButton to="/sign-in" tone="primary">
          Sign in
        </LinkButton>
      </EntryFrame>
    );
  if (token !== '' || session === null) return token === '' ? <NoToken /> : <Entering />;
  return session.has_password ? <Redirect to="/" /> : <ChoosePassword email={session.email} />;
}

function Entering() {
  return (
    <EntryFrame title="Welcome">
      <p className="flex items-center gap-3 text-quiet" role="status">
        <Spinner /> Signing you in.
      </p>
    </EntryFrame>
  );
}

function NoToken() {
  return (
    <EntryFrame title="This link is not complete">
      <p className="mb-4 text-quiet">Copy the whole link from the mail or the terminal, or sign in.</p>
      <LinkButton to="/sign-in" tone="primary">
        Sign in
      </LinkButton>
    </EntryFrame>
  );
}

function ChoosePassword({ email }: { email: string }) {
  const choose = useAction(
    (password: string) => call('POST /change-password', { body: { new_password: password } }),
    {
      quiet: true,
      onDone: (session) => {
        putSession(session);
        navigate('/', { replace: true });
      },
    },
  );
  return (
    <EntryFrame title="Welcome to Tintype">
      <p className="mb-5 text-quiet">You are signed in. Choose a password for the next time.</p>
      <Form
        of={choose}
        onSend={(form) => choose.mutate(textOf(form, 'new_password'))}
        actions={
          <>
            <Submit tone="primary">Set password</Submit>
            <Button tone="quiet" onClick={() => navigate('/', { replace: true })}>
              Later
            </Button>
          </>
        }
      >
        {/* A visible field, because password managers do not read the user name from a hidden one. */}
        <TextField
          label="E-mail"
          name="username"
          type="email"
          autoComplete="username"
          value={email}
          readOnly
        />
        <NewPassword label="Password" />
      </Form>
    </EntryFrame>
  );
}
