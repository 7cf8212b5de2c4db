// E-mail and password.
import { useState } from 'react';
import { call } from '#app/api.ts';
import { Button } from '#app/parts/button.tsx';
import { TextField } from '#app/parts/field.tsx';
import { EntryFrame, textLink } from '#app/pages/entry/frame.tsx';
import { Form } from '#app/parts/form.tsx';
import { Operator } from '#app/parts/operator.tsx';
import { useAction } from '#app/parts/use-action.ts';
import { textOf } from '#app/forms.ts';
import { Link, navigate } from '#app/router.tsx';
import { putSession, useInstance } from '#app/session.ts';

export function SignIn({ next }: { next: string }) {
  const { data: instance } = useInstance();
  const [email, setEmail] = useState('');
  const signIn = useAction((body: { email: string; password: string }) => call('POST /sign-in', { body }), {
    quiet: true,
    onDone: (session) => {
      putSession(session);
      navigate(next, { replace: true });
    },
  });
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
        error={signIn.error}
        onSend={(form) => signIn.mutate({ email: textOf(form, 'email'), password: textOf(form, 'password') })}
        actions={
          <>
            <Button type="submit" tone="primary" busy={signIn.isPending}>
              Sign in
            </Button>
            <Link
              to={`/forgot-password${email === '' ? '' : `?email=${encodeURIComponent(email)}`}`}
              className={`justify-self-center text-sm ${textLink}`}
            >
              Forgot your password?
            </Link>
          </>
        }
      >
        <TextField
          label="E-mail"
          name="email"
          type="email"
          autoComplete="username"
          required
          maxLength={254}
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
