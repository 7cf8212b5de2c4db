// Sets or changes the password. Setting the first one does not ask for a current password.
import { call } from '#app/api.ts';
import { textOf } from '#app/forms.ts';
import { NewPassword } from '#app/pages/entry/password.tsx';
import { CurrentPassword, currentPasswordOf } from '#app/pages/settings/current-password.tsx';
import { Button } from '#app/parts/button.tsx';
import { Form } from '#app/parts/form.tsx';
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
        error={change.error}
        onSend={(given, element) => {
          change.mutate(
            { ...currentPasswordOf(given), new_password: textOf(given, 'new_password') },
            { onSuccess: () => element.reset() },
          );
        }}
        actions={
          <div>
            <Button type="submit" tone={session.has_password ? 'plain' : 'primary'} busy={change.isPending}>
              {session.has_password ? 'Change password' : 'Set password'}
            </Button>
          </div>
        }
      >
        {session.has_password && <CurrentPassword />}
        <NewPassword />
      </Form>
    </SettingRow>
  );
}
