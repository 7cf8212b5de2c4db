// A new password; the first one needs no old one.
import { useRef } from 'react';
import { call } from '#app/api.ts';
import { textOf } from '#app/forms.ts';
import { NewPassword } from '#app/pages/entry/password.tsx';
import { Button } from '#app/parts/button.tsx';
import { TextField } from '#app/parts/field.tsx';
import { FormProblem } from '#app/parts/form-problem.tsx';
import { Section } from '#app/parts/page.tsx';
import { useAction } from '#app/parts/use-action.ts';
import { putSession, type Session } from '#app/session.ts';

export function ChangePassword({ session }: { session: Session }) {
  const form = useRef<HTMLFormElement>(null);
  const change = useAction(
    (body: { current_password?: string; new_password: string }) => call('POST /change-password', { body }),
    {
      quiet: true,
      touches: ['sessions', 'overview'],
      done: 'Password set.',
      onDone: (next) => {
        form.current?.reset();
        putSession(next);
      },
    },
  );
  return (
    <Section title={session.has_password ? 'Password' : 'Set a password'}>
      <form
        ref={form}
        className="grid max-w-md gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          const given = new FormData(event.currentTarget);
          const current = textOf(given, 'current_password');
          change.mutate({
            ...(current !== '' && { current_password: current }),
            new_password: textOf(given, 'password'),
          });
        }}
      >
        {session.has_password && (
          <TextField
            label="Current password"
            name="current_password"
            type="password"
            autoComplete="current-password"
            required
            maxLength={128}
          />
        )}
        <NewPassword />
        <FormProblem error={change.error} />
        <div>
          <Button type="submit" tone={session.has_password ? 'plain' : 'primary'} busy={change.isPending}>
            {session.has_password ? 'Change password' : 'Set password'}
          </Button>
        </div>
      </form>
    </Section>
  );
}
