// E-mail and password.
import { call } from '#app/api.ts';
import { Button } from '#app/parts/button.tsx';
import { TextField } from '#app/parts/field.tsx';
import { EntryFrame, textLink } from '#app/pages/entry/frame.tsx';
import { FormProblem } from '#app/parts/form-problem.tsx';
import { useAction } from '#app/parts/use-action.ts';
import { textOf } from '#app/forms.ts';
import { Link, navigate } from '#app/router.tsx';
import { putSession, useInstance } from '#app/session.ts';

export function SignIn({ next }: { next: string }) {
  const { data: instance } = useInstance();
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
          <p>Accounts on this service are made by its operator.</p>
        ))
      }
    >
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          signIn.mutate({ email: textOf(form, 'email'), password: textOf(form, 'password') });
        }}
      >
        <TextField
          label="E-mail"
          name="email"
          type="email"
          autoComplete="username"
          required
          maxLength={254}
        />
        <TextField
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          required
          maxLength={128}
        />
        <FormProblem error={signIn.error} />
        <Button type="submit" tone="primary" busy={signIn.isPending}>
          Sign in
        </Button>
        <Link to="/forgot-password" className={`justify-self-center text-sm ${textLink}`}>
          Forgot your password?
        </Link>
      </form>
    </EntryFrame>
  );
}
