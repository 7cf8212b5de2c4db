// Creates an account, if the operator has opened sign-ups.
import { call } from '#app/api.ts';
import { EmailField, TextField } from '#app/parts/field.tsx';
import { Form, Submit } from '#app/parts/form.tsx';
import { Operator } from '#app/parts/operator.tsx';
import { Loading } from '#app/parts/states.tsx';
import { useAction } from '#app/parts/use-action.ts';
import { EntryFrame, textLink } from '#app/pages/entry/frame.tsx';
import { NewPassword } from '#app/pages/entry/password.tsx';
import { textOf } from '#app/forms.ts';
import { Link, navigate } from '#app/router.tsx';
import { putSession, useInstance } from '#app/session.ts';

const toSignIn = (
  <p>
    Already have an account?{' '}
    <Link to="/sign-in" className={textLink}>
      Sign in
    </Link>
  </p>
);

export function SignUp() {
  const { data: instance } = useInstance();
  const signUp = useAction(
    (body: { name: string; email: string; password: string }) => call('POST /sign-up', { body }),
    {
      quiet: true,
      onDone: (session) => {
        putSession(session);
        navigate('/', { replace: true });
      },
    },
  );
  if (!instance) return <Loading />;
  if (instance.signups === 'closed')
    return (
      <EntryFrame title="Sign-ups are closed" foot={toSignIn}>
        <p className="text-quiet">
          Ask <Operator /> for an account.
        </p>
      </EntryFrame>
    );
  return (
    <EntryFrame title="Create an account" foot={toSignIn}>
      <Form
        of={signUp}
        onSend={(form) =>
          signUp.mutate({
            name: textOf(form, 'name').trim(),
            email: textOf(form, 'email'),
            password: textOf(form, 'password'),
          })
        }
        actions={<Submit tone="primary">Create account</Submit>}
      >
        <TextField label="Name" name="name" autoComplete="name" required maxLength={80} />
        <EmailField
          autoComplete="username"
          hint={
            instance.sends_mail
              ? 'We send a link there to verify it.'
              : 'This service does not send mail: the operator verifies your address.'
          }
        />
        <NewPassword label="Password" name="password" />
      </Form>
    </EntryFrame>
  );
}
