// Account settings: profile, password, sessions, data export and deletion.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, fileAddress } from '#app/api.ts';
import { textOf } from '#app/forms.ts';
import { ChangePassword } from '#app/pages/settings/change-password.tsx';
import { Codes } from '#app/pages/settings/codes.tsx';
import { DeleteAccount } from '#app/pages/settings/delete-account.tsx';
import { Passkeys } from '#app/pages/settings/passkeys.tsx';
import { Provider } from '#app/pages/settings/provider.tsx';
import { Sessions } from '#app/pages/settings/sessions.tsx';
import { CurrentPassword, currentPasswordOf } from '#app/pages/settings/current-password.tsx';
import { AnchorButton, Button } from '#app/parts/button.tsx';
import { Code } from '#app/parts/copy.tsx';
import { EmailField, Segments, TextField } from '#app/parts/field.tsx';
import { Form, Submit } from '#app/parts/form.tsx';
import { Page } from '#app/parts/page.tsx';
import { SettingRow, SettingRows } from '#app/parts/setting-rows.tsx';
import { Problem } from '#app/parts/states.tsx';
import { note } from '#app/parts/toast.tsx';
import { useAction } from '#app/parts/use-action.ts';
import { useStored } from '#app/parts/stored.ts';
import { useTheme, type Theme } from '#app/theme.ts';
import { putSession, useInstance, type Session } from '#app/session.ts';

export function Settings({ session }: { session: Session }) {
  const factors = useQuery({ queryKey: ['second factors'], queryFn: () => call('GET /second-factors') });
  return (
    <Page title="Settings" intro={`Signed in as ${session.email}.`}>
      <SettingRows>
        <Profile session={session} />
        <ChangeEmail session={session} />
        <Appearance />
      </SettingRows>
      <SettingRows title="Signing in">
        <ChangePassword session={session} />
        {factors.data && <Codes session={session} isOn={factors.data.codes} />}
        {factors.data && <Passkeys session={session} passkeys={factors.data.passkeys} />}
        {factors.data?.provider && <Provider session={session} provider={factors.data.provider} />}
        {factors.error && !factors.data && (
          <Problem error={factors.error} onRetry={() => void factors.refetch()} />
        )}
        <Sessions />
      </SettingRows>
      <SettingRows title="Your data">
        <SettingRow
          title="Export"
          intro="One archive with your account, keys, usage, request log and every file."
        >
          <AnchorButton href={fileAddress('/export')} download icon="download">
            Export everything
          </AnchorButton>
        </SettingRow>
        <DeleteAccount session={session} />
      </SettingRows>
    </Page>
  );
}

const themes = [
  { value: 'system', text: 'System' },
  { value: 'light', text: 'Light' },
  { value: 'dark', text: 'Dark' },
];

function Appearance() {
  const [theme, setTheme] = useTheme();
  return (
    <SettingRow title="Appearance" intro="For this browser, on every page of this service.">
      <Segments label="Theme" choices={themes} value={theme} onChange={(value) => setTheme(value as Theme)} />
    </SettingRow>
  );
}

function Profile({ session }: { session: Session }) {
  const save = useAction((name: string) => call('PATCH /profile', { body: { name } }), {
    quiet: true,
    done: 'Name saved.',
    onDone: putSession,
  });
  return (
    <SettingRow title="Profile" intro="The name that the dashboard shows.">
      <Form
        of={save}
        onSend={(form) => save.mutate(textOf(form, 'name').trim())}
        actions={<Submit className="justify-self-start">Save name</Submit>}
      >
        <TextField
          label="Name"
          name="name"
          autoComplete="name"
          required
          maxLength={80}
          defaultValue={session.name}
        />
      </Form>
    </SettingRow>
  );
}

function ChangeEmail({ session }: { session: Session }) {
  const { data: instance } = useInstance();
  const [waiting, setWaiting] = useStored(`new address of ${session.id}`);
  const [sent, setSent] = useState('');
  const [unsent, setUnsent] = useState<string>();
  const change = useAction(
    (body: { email: string; current_password?: string }) => call('POST /change-email', { body }),
    {
      quiet: true,
      onDone: ({ mail, link }) => {
        setWaiting(sent);
        if (link !== null) return setUnsent(link);
        note(
          mail === 'sent'
            ? 'A link is on its way to the new address. Follow it to confirm.'
            : 'Ask the operator for the link to confirm it: it is in the service log.',
        );
      },
    },
  );
  return (
    <SettingRow
      title="E-mail address"
      intro={
        instance?.sends_mail === false
          ? `You confirm the new address by a link. This service does not send mail, so ${session.owner ? 'you get the link here' : 'the operator has the link'}. Until then the old address stays.`
          : 'You confirm the new address by a link sent to it. Until then the old one stays.'
      }
    >
      {waiting !== undefined && waiting !== session.email && (
        <p className="mb-4 flex max-w-md flex-wrap items-center justify-between gap-2 rounded-[9px] bg-warn-soft py-1 pr-1 pl-3 text-sm text-warn">
          <span className="min-w-0 wrap-anywhere">Waiting for {waiting} to be confirmed.</span>
          <Button small tone="quiet" onClick={() => setWaiting(undefined)}>
            Dismiss
          </Button>
        </p>
      )}
      {unsent !== undefined && (
        <div className="mb-4 grid gap-2" role="status">
          <p className="text-sm text-quiet">
            This service does not send mail. As its owner you get the link here: open it to confirm.
          </p>
          <Code text={unsent} what="Link" wrap />
        </div>
      )}
      <Form
        of={change}
        actions={<Submit className="justify-self-start">Change e-mail</Submit>}
        onSend={(form) => {
          setSent(textOf(form, 'email'));
          change.mutate({ email: textOf(form, 'email'), ...currentPasswordOf(form) });
        }}
      >
        <EmailField label="New e-mail" autoComplete="email" placeholder={session.email} />
        {session.has_password && <CurrentPassword />}
      </Form>
    </SettingRow>
  );
}
