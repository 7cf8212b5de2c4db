// The person's own things: profile, password, sessions, data, and the end of the account.
import { useState } from 'react';
import { call, fileAddress } from '#app/api.ts';
import { textOf } from '#app/forms.ts';
import { ChangePassword } from '#app/pages/settings/change-password.tsx';
import { DeleteAccount } from '#app/pages/settings/delete-account.tsx';
import { Sessions } from '#app/pages/settings/sessions.tsx';
import { AnchorButton, Button } from '#app/parts/button.tsx';
import { Code } from '#app/parts/copy.tsx';
import { TextField } from '#app/parts/field.tsx';
import { Form } from '#app/parts/form.tsx';
import { Page, Section } from '#app/parts/page.tsx';
import { note } from '#app/parts/toast.tsx';
import { useAction } from '#app/parts/use-action.ts';
import { useStored } from '#app/parts/use-stored.ts';
import { putSession, useInstance, type Session } from '#app/session.ts';

export function Settings({ session }: { session: Session }) {
  return (
    <Page title="Settings" intro={`Signed in as ${session.email}.`}>
      <Profile session={session} />
      <ChangeEmail session={session} />
      <ChangePassword session={session} />
      <Sessions />
      <Section
        title="Your data"
        intro="One archive with your account, keys, usage, request log and every file, to take along."
        actions={
          <AnchorButton href={fileAddress('/export')} download icon="download">
            Export
          </AnchorButton>
        }
      />
      <DeleteAccount session={session} />
    </Page>
  );
}

function Profile({ session }: { session: Session }) {
  const save = useAction((name: string) => call('PATCH /profile', { body: { name } }), {
    quiet: true,
    done: 'Name saved.',
    onDone: putSession,
  });
  return (
    <Section title="Profile">
      <Form
        className="max-w-md"
        error={save.error}
        onSend={(form) => save.mutate(textOf(form, 'name').trim())}
        actions={
          <div>
            <Button type="submit" busy={save.isPending}>
              Save name
            </Button>
          </div>
        }
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
    </Section>
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
    <Section
      title="E-mail address"
      intro={
        instance?.sends_mail === false
          ? 'You confirm the new address by a link. This service does not send mail, so the operator has the link. Until then the old address stays.'
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
        className="max-w-md"
        error={change.error}
        actions={
          <div>
            <Button type="submit" busy={change.isPending}>
              Change e-mail
            </Button>
          </div>
        }
        onSend={(form) => {
          setSent(textOf(form, 'email'));
          const password = textOf(form, 'current_password');
          change.mutate({
            email: textOf(form, 'email'),
            ...(password !== '' && { current_password: password }),
          });
        }}
      >
        <TextField
          label="New e-mail"
          name="email"
          type="email"
          autoComplete="email"
          required
          maxLength={254}
          placeholder={session.email}
        />
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
      </Form>
    </Section>
  );
}
