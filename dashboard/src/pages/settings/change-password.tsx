// Sets or changes the password. Setting the first one does not ask for a current password.
import { call } from '#app/api.ts';
import { textOf } from '#app/forms.ts';
import { NewPassword } from '#app/pages/entry/password.tsx';
import { CurrentPassword, currentPasswordOf } from '#app/pages/settings/current-password.tsx';
import { Form, Submit } from '#app/parts/form.tsx';
import { SettingRow } from '#app/parts/setting-rows.tsx';
import { useAction } from '#app/parts/use-action.ts';
import { putSession, type Session } from '#app/session.ts';

export function ChangePassword({ session }: { session: Session }) {
  const change = useAction(
    (body: { current_password?: string; new_password: string }) => call('POST /change-password', { body }),
    {
      quiet: true,
      touches: ['sessions', 'overview'],
      done: 'Password set.',
      onDone: putSession,
    },
  );
  return (
    <SettingRow
      title={session.has_password ? 'Password' : 'Set a password'}
      intro="A new one signs out your other sessions."
    >
      <Form
        of={change}
        onSend={(given, element) => {
          change.mutate(
            { ...currentPasswordOf(given), new_password: textOf(given, 'new_password') },
            { onSuccess: () => element.reset() },
          );
        }}
        actions={
          <Submit tone={session.has_password ? 'plain' : 'primary'} className="justify-self-start">
            {session.has_password ? 'Change password' : 'Set password'}
          </Submit>
        }
      >
        {session.has_password && <CurrentPassword />}
        <NewPassword />
      </Form>
    </SettingRow>
  );
}
