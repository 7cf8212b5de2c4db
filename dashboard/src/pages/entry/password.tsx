// A forgotten password: ask for a link, then follow it.
import { call } from '#app/api.ts';
import { Button, LinkButton } from '#app/parts/button.tsx';
import { TextField } from '#app/parts/field.tsx';
import { FormProblem } from '#app/parts/form-problem.tsx';
import { useAction } from '#app/parts/use-action.ts';
import { EntryFrame, textLink } from '#app/pages/entry/frame.tsx';
import { textOf } from '#app/forms.ts';
import { Link } from '#app/router.tsx';

const back = (
  <Link to="/sign-in" className={textLink}>
    Back to sign-in
  </Link>
);

export function ForgotPassword() {
  const ask = useAction((email: string) => call('POST /forgot-password', { body: { email } }), {
    quiet: true,
  });
  if (ask.data)
    return (
      <EntryFrame title="Look for a link" foot={back}>
        <p className="text-quiet" role="status">
          {ask.data.mail === 'sent'
            ? 'If there is an account with this address, a link to set a new password is on its way. It works for an hour.'
            : 'This service sends no mail. If there is an account with this address, the link stands in the service’s log; ask its operator for it if that is not you.'}
        </p>
      </EntryFrame>
    );
  return (
    <EntryFrame title="Set a new password" foot={back}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          ask.mutate(textOf(new FormData(event.currentTarget), 'email'));
        }}
      >
        <TextField
          label="E-mail"
          name="email"
          type="email"
          autoComplete="username"
          required
          maxLength={254}
          hint="You get a link that lets you choose a new password."
        />
        <FormProblem error={ask.error} />
        <Button type="submit" tone="primary" busy={ask.isPending}>
          Get a link
        </Button>
      </form>
    </EntryFrame>
  );
}

export function ResetPassword({ token }: { token: string }) {
  const reset = useAction(
    (password: string) => call('POST /reset-password', { body: { token, new_password: password } }),
    { quiet: true },
  );
  if (token === '')
    return (
      <EntryFrame title="This link is not complete" foot={back}>
        <p className="text-quiet">Open it from the mail again, or ask for a new one.</p>
      </EntryFrame>
    );
  if (reset.isSuccess)
    return (
      <EntryFrame title="Your password is set">
        <p className="mb-5 text-quiet" role="status">
          All other sessions were signed out.
        </p>
        <LinkButton to="/sign-in" tone="primary" className="w-full">
          Sign in
        </LinkButton>
      </EntryFrame>
    );
  return (
    <EntryFrame title="Choose a new password" foot={back}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          reset.mutate(textOf(new FormData(event.currentTarget), 'password'));
        }}
      >
        <NewPassword />
        <FormProblem error={reset.error} />
        <Button type="submit" tone="primary" busy={reset.isPending}>
          Set password
        </Button>
      </form>
    </EntryFrame>
  );
}

export function NewPassword({ label = 'New password' }: { label?: string }) {
  return (
    <TextField
      label={label}
      name="password"
      type="password"
      autoComplete="new-password"
      required
      minLength={10}
      maxLength={128}
      hint="At least 10 characters."
    />
  );
}
