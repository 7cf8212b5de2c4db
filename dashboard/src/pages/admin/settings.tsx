// Settings of the installation: sign-ups, the operator's contact, and a test of outgoing mail.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { BodyOf } from '#console/contract.ts';
import type { AnswerOf } from '#console/handlers.ts';
import { call } from '#app/api.ts';
import { textOf } from '#app/forms.ts';
import { Button } from '#app/parts/button.tsx';
import { Confirm } from '#app/parts/dialog.tsx';
import { Segments, TextField } from '#app/parts/field.tsx';
import { Form, Submit } from '#app/parts/form.tsx';
import { Page } from '#app/parts/page.tsx';
import { SettingRow, SettingRows } from '#app/parts/setting-rows.tsx';
import { Chip, Loading, Problem } from '#app/parts/states.tsx';
import { useAction } from '#app/parts/use-action.ts';
import type { Session } from '#app/session.ts';

type Settings = AnswerOf<'GET /admin/settings'>;

export function InstallationSettings({ session }: { session: Session }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['installation'],
    queryFn: () => call('GET /admin/settings'),
  });
  return (
    <Page title="Installation" intro="Settings that apply to everyone on this service.">
      {error && !data && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && (
        <SettingRows>
          <Signups settings={data} />
          <OperatorContact key={data.operator_contact} settings={data} />
          <Mail settings={data} email={session.email} />
        </SettingRows>
      )}
    </Page>
  );
}

const useChange = (done: string) =>
  useAction((body: BodyOf<'PATCH /admin/settings'>) => call('PATCH /admin/settings', { body }), {
    quiet: true,
    touches: ['installation', 'instance', 'audit'],
    done,
  });

function Signups({ settings }: { settings: Settings }) {
  const change = useChange('Saved. It applies from now on.');
  const [isOpening, setOpening] = useState(false);
  return (
    <SettingRow
      title="Sign-ups"
      intro="Open: anyone who reaches this service can make an account on the free plan. Closed: you make the accounts."
    >
      {settings.signups_fixed ? (
        <p className="text-sm">
          Sign-ups are <strong className="font-semibold">{settings.signups}</strong>. The variable{' '}
          <code className="font-mono text-[0.8125rem]">SIGNUPS</code> of the service decides this; change it
          there, or remove it to decide here.
        </p>
      ) : (
        <Segments
          label="Sign-ups"
          choices={[
            { value: 'closed', text: 'Closed' },
            { value: 'open', text: 'Open' },
          ]}
          value={settings.signups}
          onChange={(value) => {
            if (value === 'open') setOpening(true);
            else change.mutate({ signups: 'closed' });
          }}
        />
      )}
      {isOpening && (
        <Confirm
          title="Open sign-ups?"
          action="Open sign-ups"
          tone="primary"
          of={change}
          onConfirm={() => change.mutate({ signups: 'open' }, { onSuccess: () => setOpening(false) })}
          onClose={() => setOpening(false)}
        >
          <p>
            Anyone who reaches this service can then make an account, and use it once their e-mail address is
            verified.
          </p>
        </Confirm>
      )}
    </SettingRow>
  );
}

function OperatorContact({ settings }: { settings: Settings }) {
  const change = useChange('Saved.');
  return (
    <SettingRow
      title="Your contact"
      intro="Shown wherever people are asked to write to you: when an account is suspended, a quota is used up, or a password is forgotten."
    >
      <Form
        of={change}
        onSend={(form) =>
          change.mutate({ operator_contact: textOf(form, 'operator_contact').trim() || null })
        }
        actions={<Submit className="justify-self-start">Save contact</Submit>}
      >
        <TextField
          label="E-mail address, link or sentence"
          name="operator_contact"
          maxLength={200}
          autoComplete="off"
          defaultValue={settings.operator_contact ?? ''}
          placeholder="ops@example.com"
        />
      </Form>
    </SettingRow>
  );
}

function Mail({ settings, email }: { settings: Settings; email: string }) {
  const test = useAction(() => call('POST /admin/settings/test-mail'), { quiet: true });
  const problem = test.error?.message ?? test.data?.problem ?? null;
  return (
    <SettingRow
      title="Mail"
      intro={
        settings.sends_mail
          ? 'The variables SMTP_URL and MAIL_FROM of the service decide how mail is sent.'
          : 'Set the variable SMTP_URL of the service to send mail. Until then, the links for people are shown to you, with a button to copy them.'
      }
    >
      <div className="grid gap-3">
        <div className="flex flex-wrap items-center gap-3">
          {settings.sends_mail ? (
            <Chip tone="good">Configured</Chip>
          ) : (
            <Chip tone="warn">Not configured</Chip>
          )}
          <Button
            busy={test.isPending}
            disabled={!settings.sends_mail}
            onClick={() => test.mutate(undefined)}
          >
            Send a test message
          </Button>
        </div>
        <div role="status" className="text-sm">
          {test.isSuccess && problem === null && (
            <p className="text-good">
              The mail server accepted a message to {test.data.to}. Check that inbox.
            </p>
          )}
          {problem !== null && (
            <p className="wrap-anywhere text-danger">
              The message to {email} was not sent: {problem}
            </p>
          )}
        </div>
      </div>
    </SettingRow>
  );
}
